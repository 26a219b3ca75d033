# SPDX-License-Identifier: Apache-2.0
# tests/e2e/cluster_test.py: the commands of docs/cluster.md run as they stand, with the variables that Slurm and
# Kubernetes set, and the farms end with the same files.

import os
import re
import subprocess

import repro_test
from command_case import PROGRAM, SOURCES, command_case, main

PAGE = os.path.join(SOURCES, "docs", "cluster.md")
# What MX_MPIRUN of tests/CMakeLists.txt says in words, so that the page's own commands run here.
QUIET_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
             "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
             "OMPI_MCA_btl": "self,vader", "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
             "OMPI_MCA_pml": "ob1", "OMPI_MCA_oob_tcp_if_include": "lo",
             "ASAN_OPTIONS": "detect_leaks=0"}


class cluster_test(command_case):
    def setUp(self):
        super().setUp()
        with open(PAGE, encoding="utf-8") as file:
            self.page = file.read()
        for name, text in (("study.toml", repro_test.STUDY.replace("steps = 40", "steps = 5")),
                           ("claims.toml", repro_test.CLAIMS)):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(text)

    def run_script(self, script, **variables):
        path = os.path.dirname(os.path.abspath(PROGRAM)) + os.pathsep + os.environ["PATH"]
        done = subprocess.run(["bash", "-e", "-c", script], cwd=self.folder, timeout=240,
                              check=False, capture_output=True, encoding="utf-8",
                              env={**os.environ, **QUIET_MPI, **variables, "PATH": path})
        self.assertEqual(done.returncode, 0, f"{script}\n{done.stdout}\n{done.stderr}")

    def assert_decided(self, folder):
        with open(self.path("out/all/claims.csv"), encoding="utf-8") as file:
            expected = file.read()
        with open(self.path(folder, "claims.csv"), encoding="utf-8") as file:
            self.assertEqual(file.read(), expected, folder)

    def test_every_command_does_what_the_page_says(self):
        scripts = re.findall(r"(?<=```sh\n).*?(?=```\n)", self.page, re.DOTALL)
        set_up, one_machine, shared, array, arms, without_mpi = scripts
        self.assertTrue(set_up.startswith("# set-up"))
        self.run_script(without_mpi)
        self.run_script(one_machine)
        self.assert_decided("out/farm")
        slurm = {"SLURM_CPUS_PER_TASK": "1", "SLURM_NTASKS": "2"}
        self.run_script(shared, **slurm)
        self.assertEqual(self.hashes("out/slurm"), self.hashes("out/shared"))
        for index in range(1, 5):
            self.run_script(array, SLURM_ARRAY_TASK_ID=str(index), SLURM_ARRAY_TASK_COUNT="4",
                            **slurm)
        self.assert_decided("out/array")
        for index in range(4):
            self.run_script(arms, SLURM_ARRAY_TASK_ID=str(index), **slurm)
        for arm in ("mxfp4", "fp32"):
            self.assertIn(f"\n{arm},102,5,", self.hashes(f"out/{arm}-102"))

    def test_the_pods_of_the_job_decide_the_claims(self):
        job = re.search(r"```yaml\n(.*?)```", self.page, re.DOTALL).group(1)
        completions = int(re.search(r"completions: (\d+)", job).group(1))
        command = re.search(r"args:\n +- (.*)\n", job).group(1)
        self.assertIn(f"/{completions}\"", command)
        self.write_text("claims.toml", repro_test.FAILING)  # which is no reason to start a pod again
        for index in range(completions):
            self.run_script(command, JOB_COMPLETION_INDEX=str(index))
        self.assertIn("FAIL", self.read_text("out/pods/claims.md"))

    def test_a_farm_of_jobs_succeeds_where_a_claim_fails(self):
        array = next(s for s in re.findall(r"(?<=```sh\n).*?(?=```\n)", self.page, re.DOTALL)
                     if "SLURM_ARRAY_TASK_COUNT" in s)
        self.write_text("claims.toml", repro_test.FAILING)
        self.run_script(array, SLURM_CPUS_PER_TASK="1", SLURM_ARRAY_TASK_ID="1",
                        SLURM_ARRAY_TASK_COUNT="1")
        self.assertIn("FAIL", self.read_text("out/array/claims.md"))

    def hashes(self, folder):
        with open(self.path(folder, "hashes.csv"), encoding="utf-8") as file:
            return file.read()


if __name__ == "__main__":
    main()
