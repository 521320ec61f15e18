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


def _objects(*names):
    return [one for name in names for one in yaml.safe_load_all((_FOLDER / f"{name}.yaml").read_text())]


def _of(kind):
    (found,) = [one for one in _objects("common", "job", "jobset") if one["kind"] == kind]
    return found


def _jobs():
    """The Job, the Job that the JobSet makes, and the name of each."""
    job, (replicated,) = _of("Job"), _of("JobSet")["spec"]["replicatedJobs"]
    name = f"{_of('JobSet')['metadata']['name']}-{replicated['name']}-0"
    made = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, **replicated["template"]}
    return {"job": job, "jobset": made}


def _variables(job):
    return {one["name"]: one["value"] for one in job["spec"]["template"]["spec"]["containers"][0]["env"]}


def test_manifests_follow_the_schema():
    validate = pytest.importorskip("kubernetes_validate")
    for one in (*_objects("common", "job"), *_jobs().values()):
        validate.validate(one, "1.31", strict=True)


@pytest.mark.parametrize("kind", ["job", "jobset"])
def test_variables_of_the_pods_are_those_of_the_job(kind):
    job = _jobs()[kind]
    variables, pod = _variables(job), job["spec"]["template"]["spec"]
    assert int(variables["PODS"]) == job["spec"]["completions"] == job["spec"]["parallelism"]
    assert variables["JOB_NAME"] == job["metadata"]["name"]
    assert pod["serviceAccountName"] == _of("RoleBinding")["subjects"][0]["name"]


def test_the_service_has_the_subdomain_of_the_pods():
    job, service = _of("Job"), _of("Service")
    assert service["metadata"]["name"] == job["spec"]["template"]["spec"]["subdomain"] == _variables(job)["SUBDOMAIN"]
    assert service["spec"]["selector"] == {"batch.kubernetes.io/job-name": job["metadata"]["name"]}
    assert service["spec"]["clusterIP"] == "None"
    network = _of("JobSet")["spec"]["network"]
    assert network["subdomain"] == _variables(_jobs()["jobset"])["SUBDOMAIN"]
    assert network["enableDNSHostnames"]


@pytest.fixture
def pod(tmp_path):
    """A folder with the scripts of the manifest and commands in the place of those of the container."""
    for name, text in _of("ConfigMap")["data"].items():
        (tmp_path / name).write_text(text)
    commands = {
        "kubectl": _KUBECTL.format(log=tmp_path / "log"),
        "getent": f'#!/bin/sh\necho "$@" > {tmp_path}/hosts\n',
        "atoll": f'#!/bin/sh\nexec {sys.executable} -m atoll "$@"\n',
    }
    (tmp_path / "bin").mkdir()
    for name, text in commands.items():
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


def _environment(pod, index, kind="job"):
    return {
        **os.environ,
        **_variables(_jobs()[kind]),
        "PATH": f"{pod / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "python"),
        "JOB_COMPLETION_INDEX": index,
    }


@needs_core
@needs_launcher
@pytest.mark.parametrize(("kind", "name"), [("job", "atoll"), ("jobset", "atoll-pe-0")])
def test_pod_0_runs_the_script_on_the_pes_of_all_pods(pod, kind, name):
    (pod / "script.py").write_text("import atoll as ak\nx = ak.arange(10).sum()\nif ak.pe() == 0: print(ak.pes(), x)\n")
    done = subprocess.run(
        ["sh", str(pod / "start"), "-t", "1", str(pod / "script.py")], env=_environment(pod, "0", kind),
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "4 45\n"
    assert (pod / "hosts").read_text().split() == ["hosts", f"{name}-1.atoll"]
    asked, run = (pod / "log").read_text().splitlines()[:2]
    assert f"batch.kubernetes.io/job-name={name},batch.kubernetes.io/job-completion-index=1 " in asked
    assert run.startswith("exec -i pod/atoll-1-x7k2p -- ")


def test_other_pods_wait_until_the_job_ends(pod):
    with subprocess.Popen(["sh", str(pod / "start"), "x.py"], env=_environment(pod, "1")) as waiting:
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(0.3)
        waiting.terminate()
        assert waiting.wait(60) in (0, -15)  # before or after the script handles the signal
