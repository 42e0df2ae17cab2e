import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { runningIntern, say } from '#test/harness/interns/interns.ts'
import { type Cluster, namespace } from './cluster/cluster.ts'
import { serviceImage } from './cluster/images.ts'
import { podOf } from './pods.ts'
import { startService } from './service.ts'
import { sharedCluster, skip } from './shared-cluster.ts'

/** As a service mesh and a mirror of images do. The proxy is never ready, and the kubelet lists it before the daemon. */
const changes = `[
  JSONPatch{op: "replace", path: "/spec/containers/0/image", value: "${serviceImage(2)}"},
  JSONPatch{op: "add", path: "/spec/containers/-", value: Object.spec.containers{
    name: "a-proxy",
    image: "${serviceImage(1)}",
    command: ["sleep", "infinity"],
    readinessProbe: Object.spec.containers.readinessProbe{
      exec: Object.spec.containers.readinessProbe.exec{command: ["false"]}
    },
    securityContext: Object.spec.containers.securityContext{
      allowPrivilegeEscalation: false,
      capabilities: Object.spec.containers.securityContext.capabilities{drop: ["ALL"]}
    }
  }}
]`

const apiVersion = 'admissionregistration.k8s.io/v1'
const metadata = { name: 'change-pods' }
const policy = {
  apiVersion,
  kind: 'MutatingAdmissionPolicy',
  metadata,
  spec: {
    failurePolicy: 'Fail',
    reinvocationPolicy: 'Never',
    matchConstraints: {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
    },
    mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: changes } }],
  },
}
const binding = { apiVersion, kind: 'MutatingAdmissionPolicyBinding', metadata, spec: { policyName: metadata.name } }

async function changePods({ plane: { kubectl } }: Cluster): Promise<AsyncDisposable> {
  await kubectl(['create', '-f', '-'], [policy, binding])
  return {
    async [Symbol.asyncDispose]() {
      await kubectl(['delete', '-f', '-'], [binding, policy])
    },
  }
}

describe('pods that the cluster changes when they are created', { skip, concurrency: 1 }, () => {
  test('an added container and a replaced image do not disturb an intern', async () => {
    const cluster = await sharedCluster()
    await using service = await startService(cluster, { INTERN_UNRESPONSIVE_MS: '8000' })
    const server = await service.start('a')
    await using _changed = await changePods(cluster)
    const { id } = await runningIntern(server, { agent: 'scripted' })
    const pod = await podOf(cluster, id)
    assert.deepEqual(
      pod.spec.containers.map(({ image }) => image),
      [serviceImage(2), serviceImage(1)],
    )
    // Three checks of its daemon: an idle intern with another image is replaced at the first one.
    await sleep(6000)
    assert.equal((await server.ask('GET', `/interns/${id}`)).body.status, 'running')
    assert.equal((await say(server, id, 'say hello')).text, 'hello')
    assert.equal((await podOf(cluster, id)).metadata.uid, pod.metadata.uid)
  })
})
