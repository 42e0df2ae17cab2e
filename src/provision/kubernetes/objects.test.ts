import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Settings } from '#platform/config/settings.ts'
import { createFilesPod, createObjects, type InternFiles } from './objects.ts'

const around = (settings: object = {}) => ({
  config: Settings.parse({ intern_memory_bytes: 1000, ...settings }),
  image: 'signalbox:1',
  serviceUrl: 'http://signalbox.test:80',
})
const files = { lasting: { 'settings.json': '{}' }, rotated: { 'certificate.pem': 'one' }, repository: undefined }
const made = (settings: object = {}, of: InternFiles = files) => createObjects(around(settings), 'ada', of)
const specOf = (objects: ReturnType<typeof made>, kind: string) =>
  objects.others.find((object) => object.kind === kind)?.spec as any
const podOf = (objects: ReturnType<typeof made>) => specOf(objects, 'StatefulSet').template

test('a pod satisfies the level "restricted", and writes only its volume', () => {
  const { spec } = podOf(made())
  const [container] = spec.containers
  assert.deepEqual(container.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  const { runAsNonRoot, runAsUser, seccompProfile } = spec.securityContext
  assert.deepEqual([runAsNonRoot, runAsUser > 0, seccompProfile], [true, true, { type: 'RuntimeDefault' }])
  assert.equal(spec.automountServiceAccountToken, false)
  const kinds = spec.volumes.map((volume: object) => Object.keys(volume)[1])
  assert.deepEqual(kinds, ['persistentVolumeClaim', 'emptyDir', 'secret'])
  for (const shared of ['hostNetwork', 'hostPID', 'hostIPC']) assert.ok(!(shared in spec))
  assert.deepEqual(container.resources.limits, { cpu: '2', memory: '1000' })
})

test('a pod is replaced for new settings, image or template, not for a certificate', () => {
  const { settingsHash } = made()
  const { annotations } = podOf(made()).metadata
  assert.deepEqual(annotations, { 'signalbox.dev/settings': settingsHash, 'signalbox.dev/image': 'signalbox:1' })
  assert.equal(made({}, { ...files, rotated: { 'certificate.pem': 'two' } }).settingsHash, settingsHash)
  assert.notEqual(made({}, { ...files, lasting: { 'settings.json': '{"agent":1}' } }).settingsHash, settingsHash)
  assert.notEqual(made({ kubernetes_runtime_class: 'gvisor' }).settingsHash, settingsHash)
  assert.notEqual(createObjects({ ...around(), image: 'signalbox:2' }, 'ada', files).settingsHash, settingsHash)
})

test('only the clone container has the credential, and it runs nothing of the volume', () => {
  const { initContainers, containers, volumes } = podOf(made({}, { ...files, repository: 'a secret' })).spec
  const itemsOf = (name: string) => volumes.find((volume: any) => volume.name === name).secret.items
  const [clone] = initContainers
  const [daemon] = containers
  const mounts = (container: any) => container.volumeMounts.map(({ name }: { name: string }) => name)
  assert.deepEqual(
    [mounts(clone), mounts(daemon)],
    [
      ['home', 'tmp', 'repository'],
      ['home', 'tmp', 'configured'],
    ],
  )
  assert.deepEqual(itemsOf('repository'), [{ key: 'repository.json', path: 'repository.json' }])
  assert.deepEqual(
    itemsOf('configured').map(({ key }: { key: string }) => key),
    ['certificate.pem', 'settings.json'],
  )
  assert.deepEqual(clone.securityContext, daemon.securityContext)
  assert.deepEqual(clone.env, [{ name: 'HOME', value: '/tmp' }])
})

test('the pod for files has the same limits and volume, and no repository', () => {
  const names = ['certificate.pem', 'repository.json', 'settings.json']
  const { spec, metadata } = createFilesPod(around(), 'ada', names)
  const { spec: own } = podOf(made())
  const [files] = spec.containers
  assert.deepEqual(
    { ...spec, containers: [{ ...files, name: 'daemon', command: 0, env: 0 }] },
    {
      ...own,
      containers: [{ ...own.containers[0], command: 0, env: 0 }],
      restartPolicy: 'Never',
      activeDeadlineSeconds: 3600,
      terminationGracePeriodSeconds: 1,
    },
  )
  assert.ok(!JSON.stringify([spec.volumes, files.env]).match(/repository|COMPILE/))
  // The intern's NetworkPolicy applies to it, and lists of interns' pods do not contain it.
  assert.deepEqual(metadata.labels, {
    'app.kubernetes.io/name': 'signalbox-intern-files',
    'signalbox.dev/intern': 'ada',
  })
})

test('an intern whose repository was removed has neither clone command nor credential', () => {
  const before = made({}, { ...files, repository: 'a secret' })
  const { settingsHash, secret, others } = made()
  assert.notEqual(settingsHash, before.settingsHash)
  assert.equal(secret.stringData['repository.json'], '')
  assert.ok(!JSON.stringify(others).includes('initContainers'))
})

test("the operator's volume, runtime, image secret and limits are applied", () => {
  const objects = made({
    kubernetes_storage_class: 'fast',
    kubernetes_storage: '5Gi',
    kubernetes_runtime_class: 'gvisor',
    kubernetes_image_pull_secret: 'pulls',
    kubernetes_cpu_limit: '500m',
    intern_memory_bytes: 0,
  })
  const { storageClassName, resources } = objects.volume.spec
  assert.deepEqual([storageClassName, resources], ['fast', { requests: { storage: '5Gi' } }])
  const { spec } = podOf(objects)
  assert.deepEqual([spec.runtimeClassName, spec.imagePullSecrets], ['gvisor', [{ name: 'pulls' }]])
  assert.deepEqual(spec.containers[0].resources.limits, { cpu: '500m' })
})

test('only servers reach a pod, and it reaches servers, DNS and allowed hosts', () => {
  const policy = (settings: object) => specOf(made({ port: 8080, ...settings }), 'NetworkPolicy')
  const servers = { namespaceSelector: {}, podSelector: { matchLabels: { 'app.kubernetes.io/name': 'signalbox' } } }
  const { policyTypes, ingress, egress } = policy({})
  assert.deepEqual(policyTypes, ['Ingress', 'Egress'])
  assert.deepEqual(ingress, [{ from: [servers], ports: [{ protocol: 'TCP', port: 7420 }] }])
  assert.deepEqual(egress[0], { to: [servers], ports: [80, 8080].map((port) => ({ protocol: 'TCP', port })) })
  assert.deepEqual(
    egress[1].ports.map(({ port }: { port: number }) => port),
    [53, 53],
  )
  assert.equal(egress.length, 2)
  const open = policy({ kubernetes_servers: '10.0.0.1', kubernetes_egress: 'public, 10.9.0.0/16' })
  assert.deepEqual(open.ingress[0].from, [{ ipBlock: { cidr: '10.0.0.1/32' } }])
  const cidrs = open.egress[2].to.map(({ ipBlock }: any) => ipBlock.cidr)
  assert.deepEqual(cidrs, ['0.0.0.0/0', '::/0', '10.9.0.0/16'])
  for (const secrets of ['169.254.0.0/16', '168.63.129.16/32'])
    assert.ok(open.egress[2].to[0].ipBlock.except.includes(secrets))
})
