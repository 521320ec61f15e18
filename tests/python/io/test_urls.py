# SPDX-License-Identifier: Apache-2.0
"""Object stores: a server of S3's on loopback."""

import urllib.parse

import pytest
from pyarrow import fs

import atoll as ak

server = pytest.importorskip("moto.server")
pytestmark = pytest.mark.usefixtures("every_session")


@pytest.fixture(scope="module")
def bucket():
    """The system, and what follows the path in URLs."""
    moto = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    moto.start()
    endpoint = f"http://127.0.0.1:{moto.get_host_and_port()[1]}"
    system = fs.S3FileSystem(
        endpoint_override=endpoint, allow_bucket_creation=True, access_key="x", secret_key="x", region="us-east-1"
    )
    system.create_dir("bucket")
    yield system, f"?endpoint_override={urllib.parse.quote(endpoint, safe='')}&region=us-east-1"
    moto.stop()


def test_an_object_store(bucket):
    system, query = bucket

    def url(path):
        return f"s3://x:x@bucket/{path}{query}"

    df = ak.DataFrame({"a": range(100), "t": [f"x{i}" for i in range(100)]})
    df.to_parquet(url("data/a.parquet"), row_group_size=20)
    df.to_csv(url("data/a.csv"), index=False)
    assert ak.read_parquet(url("data/a.parquet"), filters=[("a", ">", 97)])["t"].to_list() == ["x98", "x99"]
    assert len(ak.read_parquet(url("data/*.parquet"))) == 100
    assert ak.read_csv(url("data/a.csv"))["a"].sum() == 4950
    names = sorted(one.base_name for one in system.get_file_info(fs.FileSelector("bucket/data")))
    assert names == ["a.csv", "a.parquet"]
    with pytest.raises(FileNotFoundError, match="no file"):
        ak.read_parquet(url("data/none.parquet"))
