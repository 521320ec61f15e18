# SPDX-License-Identifier: Apache-2.0
"""TLS of servers: a certificate that is given, or one made at the start whose fingerprint clients know."""

from __future__ import annotations

import hashlib
import os
import ssl
from pathlib import Path
from typing import Any

from .. import extras

_DAYS = 365


def fingerprint_of(certificate: bytes) -> str:
    """SHA-256 of a certificate in DER, as hexadecimal digits."""
    return hashlib.sha256(certificate).hexdigest()


def server_context(certificate: str, key: str) -> tuple[ssl.SSLContext, str]:
    """The server's side, and the fingerprint of its certificate. Both are files in PEM."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.load_cert_chain(certificate, key)
    first = Path(certificate).read_text().partition("-----END CERTIFICATE-----")
    return context, fingerprint_of(ssl.PEM_cert_to_DER_cert(first[0] + first[1]))


def pinned_context() -> ssl.SSLContext:
    """The side of a client that compares the fingerprint itself: names and authorities mean nothing then."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def make(directory: Path, name: str) -> tuple[str, str]:
    """Files of a new key and of a certificate that it has signed itself."""
    x509: Any = extras.module("cryptography.x509", "making a certificate")
    ec: Any = extras.module("cryptography.hazmat.primitives.asymmetric.ec", "making a certificate")
    hashes: Any = extras.module("cryptography.hazmat.primitives.hashes", "making a certificate")
    serialization: Any = extras.module("cryptography.hazmat.primitives.serialization", "making a certificate")
    import datetime

    key = ec.generate_private_key(ec.SECP256R1())
    named = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, f"atoll {name}")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder().subject_name(named).issuer_name(named).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=_DAYS)).sign(key, hashes.SHA256())
    )  # fmt: skip
    places = str(directory / f"{name}.crt"), str(directory / f"{name}.key")
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    for place, data in zip(places, (made.public_bytes(serialization.Encoding.PEM), private), strict=True):
        Path(place).unlink(missing_ok=True)
        descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
    return places
