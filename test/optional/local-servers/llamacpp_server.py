"""Runs the HTTP server of llama.cpp from the wheel xllamacpp until it is ended.

usage: llamacpp_server.py MODEL.gguf PORT CONTEXT API_KEY
"""
import sys
import time

import xllamacpp

parameters = xllamacpp.CommonParams()
parameters.model.path = sys.argv[1]
parameters.port = int(sys.argv[2])
parameters.hostnames = ["127.0.0.1"]
parameters.n_ctx = int(sys.argv[3])
parameters.n_parallel = 1
parameters.api_keys = [sys.argv[4]]
parameters.use_jinja = True
parameters.model_alias = {"tiny"}
parameters.cpuparams.n_threads = 1
parameters.cpuparams_batch.n_threads = 1
parameters.n_gpu_layers = 0
parameters.warmup = False
server = xllamacpp.Server(parameters)
print("listening", server.listening_address, flush=True)
while True:
    time.sleep(1)
