# SPDX-License-Identifier: Apache-2.0
"""The manifests for Kubernetes: their schema, and their scripts in an imitation of the environment of pod 0."""

import os
import subprocess
import sys

import pytest
from built import ROOT, needs_core, needs_launcher

yaml = pytest.importorskip("yaml")
_FOLDER = ROOT / "packaging" / "kubernetes"
_KUBECTL = """#!/bin/sh
echo "$@" >> {log}
if [ "$1" = get ]; then echo pod/atoll-1-x7k2p; exit; fi
shift 4
exec "$@"
"""


def _objects():
    return list(yaml.safe_load_all((_FOLDER / "job.yaml").read_text()))


def _of(kind):
    (found,) = [one for one in _objects() if one["kind"] == kind]
    return found


def test_manifests_follow_the_schema():
    validate = pytest.importorskip("kubernetes_validate")
    for one in _objects():
        validate.validate(one, "1.31", strict=True)


def test_job_service_and_role_fit_together():
    job, pod = _of("Job"), _of("Job")["spec"]["template"]["spec"]
    variables = {one["name"]: one["value"] for one in pod["containers"][0]["env"]}
    assert int(variables["PODS"]) == job["spec"]["completions"] == job["spec"]["parallelism"]
    assert variables["JOB_NAME"] == job["metadata"]["name"] == pod["subdomain"] == _of("Service")["metadata"]["name"]
    assert _of("Service")["spec"]["selector"] == {"batch.kubernetes.io/job-name": job["metadata"]["name"]}
    assert _of("Service")["spec"]["clusterIP"] == "None"
    assert pod["serviceAccountName"] == _of("RoleBinding")["subjects"][0]["name"]


@pytest.fixture
def pod(tmp_path):
    """A folder with the scripts of the manifest and commands in the place of those of the container."""
    for name, text in _of("ConfigMap")["data"].items():
        (tmp_path / name).write_text(text)
    commands = {
        "kubectl": _KUBECTL.format(log=tmp_path / "log"),
        "getent": "#!/bin/sh\nexit 0\n",
        "atoll": f'#!/bin/sh\nexec {sys.executable} -m atoll "$@"\n',
    }
    (tmp_path / "bin").mkdir()
    for name, text in commands.items():
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


def _environment(pod, index):
    job = _of("Job")["spec"]["template"]["spec"]["containers"][0]
    return {
        **os.environ,
        **{one["name"]: one["value"] for one in job["env"]},
        "PATH": f"{pod / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "python"),
        "JOB_COMPLETION_INDEX": index,
    }


@needs_core
@needs_launcher
def test_pod_0_runs_the_script_on_the_pes_of_all_pods(pod):
    (pod / "script.py").write_text("import atoll as ak\nx = ak.arange(10).sum()\nif ak.pe() == 0: print(ak.pes(), x)\n")
    done = subprocess.run(
        ["sh", str(pod / "start"), "-t", "1", str(pod / "script.py")], env=_environment(pod, "0"), capture_output=True,
        text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "4 45\n"
    asked, run = (pod / "log").read_text().splitlines()[:2]
    assert "batch.kubernetes.io/job-name=atoll,batch.kubernetes.io/job-completion-index=1 " in asked
    assert run.startswith("exec -i pod/atoll-1-x7k2p -- ")


def test_other_pods_wait_until_the_job_ends(pod):
    with subprocess.Popen(["sh", str(pod / "start"), "x.py"], env=_environment(pod, "1")) as waiting:
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(0.3)
        waiting.terminate()
        assert waiting.wait(60) in (0, -15)  # before or after the script handles the signal
