import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { lazyModules } from '#platform/process/lazy-modules.ts'
import { startInPods } from '#test/harness/cluster/interns-in-pods.ts'
import { type ScriptedCluster, startScriptedCluster } from '#test/harness/cluster/scripted-cluster.ts'
import { hasGit, startGitServer } from '#test/harness/interns/git-server.ts'
import { answer, runningIntern, say, tryAnswer, untilIntern } from '#test/harness/interns/interns.ts'
import type { TestService } from '#test/harness/service/service.ts'
import { until } from '#test/harness/until.ts'

const patience = 60_000

const pods = ({ objects }: ScriptedCluster) => objects.list('Pod', '')
const made = (service: TestService, name: string) => runningIntern(service, { name, agent: 'scripted' })
const failureOf = async (service: TestService, id: string) =>
  (await service.ask('GET', `/interns/${id}`)).body.last_failure_message as string
const madeToFail = async (service: TestService, name: string) => {
  const { body } = await service.ask('POST', '/interns', { body: { name, agent: 'scripted', provision: true } })
  return (await untilIntern(service, body.id, 'failed', patience)).last_failure_message as string
}

/** Returns the relative paths of the files in a folder that contain this text. */
const filesWith = (folder: string, sought: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => {
    const file = join(folder, path)
    return statSync(file).isFile() && readFileSync(file, 'latin1').includes(sought)
  })

function resourceOf(request: string) {
  const [, plural, , below] = request.split('/namespaces/')[1]!.split('/')
  return below === undefined ? plural : `${plural}/${below}`
}
function verbOf(request: string): string {
  const [method, path = ''] = request.split(' ')
  const isOne = path.split('/namespaces/')[1]!.split('/').length > 2
  if (method === 'GET') return isOne ? 'get' : 'list'
  return method!.toLowerCase()
}

function allowedByRole(): Set<string> {
  const file = fileURLToPath(new URL('../../../ops/kubernetes/rbac.yaml', import.meta.url))
  const objects = lazyModules
    .yaml()
    .parseAllDocuments(readFileSync(file, 'utf8'))
    .map((each) => each.toJS())
  const { rules } = objects.find(({ kind }) => kind === 'Role')
  return new Set(
    rules.flatMap(({ resources, verbs }: { resources: string[]; verbs: string[] }) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
    ),
  )
}

// Each pod has a separate address of this host. Systems other than Linux have only one.
describe('interns in pods', { skip: process.platform !== 'linux' && 'it takes many loopback addresses' }, () => {
  let at: Awaited<ReturnType<typeof startInPods>>
  let service: TestService
  let cluster: ScriptedCluster
  before(async () => {
    at = await startInPods({ intern_unresponsive_ms: 5000, kubernetes_stop_ms: 3000 })
    service = at.service
    cluster = at.cluster
  })
  after(() => at[Symbol.asyncDispose]())

  test('an intern is created, asks a question, and continues after the answer', async () => {
    const { id, hostname } = await made(service, 'ada')
    assert.equal(hostname, 'kubernetes-signalbox-interns')
    const question = await say(service, id, 'permission shell allow_once\nsay done')
    assert.match((await answer(service, id, question, 'allow_once')).text, /done/)
  })

  test('an intern whose pod was deleted restarts with its sessions, without its question', async () => {
    const { id } = await made(service, 'bea')
    const question = await say(service, id, 'permission shell allow_once\nsay done')
    const [pod] = pods(cluster).filter(({ metadata }) => metadata.name.includes(id))
    cluster.objects.remove('Pod', pod!.metadata.name)
    assert.match((await untilIntern(service, id, 'failed', patience)).last_failure_message, /pod/)
    await untilIntern(service, id, 'running', patience)
    assert.equal(
      (await tryAnswer(service, id, question, 'allow_once')).error?.metadata?.reason,
      'interaction_not_pending',
    )
    const later = await say(service, id, 'say again', { session_id: question.sessionId })
    assert.deepEqual([later.text, later.sessionId], ['again', question.sessionId])
  })

  test('suspension ends the pod and keeps the volume with the sessions', async () => {
    const { id } = await made(service, 'cleo')
    const { sessionId } = await say(service, id, 'say hi')
    assert.equal((await service.ask('POST', `/interns/${id}/suspend`)).status, 200)
    assert.equal(cluster.objects.find('Pod', `intern-${id}-0`), undefined)
    assert.ok(cluster.objects.find('PersistentVolumeClaim', `intern-${id}`))
    await service.ask('POST', `/interns/${id}/provision`)
    await untilIntern(service, id, 'running', patience)
    assert.equal((await say(service, id, 'say hi', { session_id: sessionId })).sessionId, sessionId)
  })

  test('deleting an intern leaves nothing in the cluster', async () => {
    const { id } = await made(service, 'dora')
    await service.ask('DELETE', `/interns/${id}`)
    await until(async () => (await service.ask('GET', `/interns/${id}`)).status === 404, patience)
    for (const kind of ['StatefulSet', 'Pod', 'Service', 'NetworkPolicy', 'Secret', 'PersistentVolumeClaim'] as const)
      assert.deepEqual(
        cluster.objects.list(kind, '').filter(({ metadata }) => metadata.name.includes(id)),
        [],
      )
  })

  test('a blocked deletion names the blocking object, and completes without it', async () => {
    const { id } = await made(service, 'emma')
    const claim = () => cluster.objects.read('PersistentVolumeClaim', `intern-${id}`)
    const held = (finalizers: string[]) =>
      cluster.objects.put({ ...claim(), metadata: { ...claim().metadata, finalizers } })
    held(['example.com/backup'])
    await service.ask('DELETE', `/interns/${id}`)
    const { last_failure_message } = await untilIntern(service, id, 'destroy_failed', patience)
    assert.match(last_failure_message, /PersistentVolumeClaim intern-.*held by example\.com\/backup/)
    held([])
    await service.ask('DELETE', `/interns/${id}`)
    await until(async () => (await service.ask('GET', `/interns/${id}`)).status === 404, patience)
  })

  test('without the API server a new intern reports a failure, and running ones answer', async () => {
    const { id } = await made(service, 'gwen')
    cluster.server.fault = () => 'reset'
    try {
      cluster.server.endWatches('broken off')
      assert.match(await madeToFail(service, 'hana'), /API server does not respond/)
      assert.equal((await say(service, id, 'say hello')).text, 'hello')
      assert.equal((await service.ask('GET', `/interns/${id}`)).body.status, 'running')
    } finally {
      cluster.server.fault = () => undefined
    }
  })
})

describe('a repository of an intern in a pod', { skip: process.platform !== 'linux' || !hasGit }, () => {
  const password = 'glpat-Kx7Qd2vTn9'
  const credential = { username: 'ada', password }

  test('is cloned once before its daemon starts, without a credential in a file', async () => {
    await using git = await startGitServer({ 'README.md': 'Widgets.' }, { user: 'ada', password })
    await using at = await startInPods({ repository_origins: [git.origin], kubernetes_egress: ['127.0.0.1'] })
    const { id } = await runningIntern(at.service, {
      name: 'ada',
      agent: 'scripted',
      repository: { url: git.url, credential },
    })
    const { home, configured } = at.cluster.foldersOf(`intern-${id}`)
    assert.equal(readFileSync(join(home, 'workspace/widgets/README.md'), 'utf8'), 'Widgets.')
    assert.match(readFileSync(join(configured, 'instructions.md'), 'utf8'), /"widgets" of the workspace is a clone/)
    assert.deepEqual(filesWith(home, password), [])
    assert.deepEqual(filesWith(configured, password), ['repository.json'])
    const requests = git.seen.length
    at.cluster.objects.remove('Pod', `intern-${id}-0`)
    await untilIntern(at.service, id, 'failed', patience)
    await untilIntern(at.service, id, 'running', patience)
    assert.equal(git.seen.length, requests)
  })

  test('that cannot be cloned is reported, and cloned after a correction', async () => {
    await using git = await startGitServer({ 'README.md': 'Widgets.' }, { user: 'ada', password })
    await using at = await startInPods({ repository_origins: [git.origin], kubernetes_egress: ['127.0.0.1'] })
    const wrong = { url: git.url, credential: { username: 'ada', password: 'another-one-9876' } }
    const { body } = await at.service.ask('POST', '/interns', {
      body: { name: 'ada', agent: 'scripted', provision: true, repository: wrong },
    })
    const { last_failure_message } = await untilIntern(at.service, body.id, 'failed', patience)
    assert.equal(
      last_failure_message,
      `The repository ${git.url} is not cloned: its server refused the credential, or the repository does not exist.`,
    )
    await until(() => pods(at.cluster).length === 0, patience)
    await at.service.ask('PATCH', '/interns/ada', { body: { repository: { url: git.url, credential } } })
    await at.service.ask('POST', '/interns/ada/provision')
    await untilIntern(at.service, body.id, 'running', patience)
  })

  test('is refused where pods reach no server of repositories, with the setting', async () => {
    await using at = await startInPods()
    const repository = { url: 'https://git.example.com/a/b' }
    const { status, text } = await at.service.ask('POST', '/interns', { body: { name: 'ada', repository } })
    assert.deepEqual([status, /kubernetes_egress/.test(text)], [400, true])
  })
})

describe('a cluster that changes', { skip: process.platform !== 'linux' && 'it takes many loopback addresses' }, () => {
  test('an intern that cannot start reports the reason, and starts once it is repaired', async () => {
    await using cluster = await startScriptedCluster()
    const waiting = { reason: 'ErrImagePull', message: 'no such image' }
    cluster.setPodStart({
      phase: 'Pending',
      containerStatuses: [{ name: 'daemon', restartCount: 0, state: { waiting } }],
    })
    await using at = await startInPods({ kubernetes_start_ms: 1000 }, { cluster })
    assert.match(
      await madeToFail(at.service, 'ada'),
      /within 1 s: its image cannot be pulled: ErrImagePull: no such image/,
    )
    await until(() => pods(cluster).length === 0, patience)
    await at.service.stop()
    cluster.setPodStart('well')
    await using next = await startInPods({}, { cluster, testStore: at.service.testStore })
    await next.service.ask('POST', '/interns/ada/provision')
    await untilIntern(next.service, 'ada', 'running', patience)
  })

  test('a daemon that hangs is replaced by another pod', async () => {
    await using at = await startInPods({ intern_unresponsive_ms: 2000 })
    const { id } = await made(at.service, 'ada')
    const first = at.cluster.objects.read('Pod', `intern-${id}-0`).metadata.uid
    await at.cluster.stopResponding()
    assert.match(
      (await untilIntern(at.service, id, 'failed', patience)).last_failure_message,
      /has not responded for 2 s, on the node node-1/,
    )
    await untilIntern(at.service, id, 'running', patience)
    assert.notEqual(at.cluster.objects.read('Pod', `intern-${id}-0`).metadata.uid, first)
  })

  test('the log of an intern is that of its pod, and a refusal names the Role', async () => {
    await using at = await startInPods()
    const { id } = await made(at.service, 'ada')
    const log = async (query = '') => at.service.ask('GET', `/interns/${id}/log${query}`)
    assert.match((await log()).body.data.message, /It has no running pod/)
    const { logs } = at.cluster.server
    logs.set(`intern-${id}-0`, 'one\ntwo sb-v1-0123456789abcdef\nthree\n')
    assert.deepEqual((await log('?lines=2')).body.data, {
      lines: ['two [secret]', 'three'],
      has_more: true,
      message: null,
    })
    logs.set(`intern-${id}-0`, 'x\n'.repeat(200_000))
    const long = (await log('?lines=5000&bytes=1024')).body.data
    assert.deepEqual([long.lines.length, long.has_more], [512, true])
    at.cluster.server.fault = ({ path }) => (path.endsWith('/log') ? { status: 403, reason: 'Forbidden' } : undefined)
    const refused = await log()
    assert.deepEqual([refused.status, /ops\/kubernetes\/rbac.yaml grants this right/.test(refused.text)], [502, true])
    at.cluster.server.fault = () => undefined
    await at.service.ask('POST', `/interns/${id}/suspend`)
    const ended = await log()
    assert.deepEqual([ended.status, ended.body.data.lines], [200, []], ended.text)
  })

  test('the Role in ops/kubernetes/rbac.yaml allows all requests', async () => {
    await using at = await startInPods()
    const { id } = await made(at.service, 'ada')
    await at.service.ask('POST', `/interns/${id}/suspend`)
    assert.equal((await at.service.ask('GET', `/interns/${id}/files`)).status, 200)
    assert.equal((await at.service.ask('GET', `/interns/${id}/log`)).status, 200)
    await at.service.ask('DELETE', `/interns/${id}`)
    await until(async () => (await at.service.ask('GET', `/interns/${id}`)).status === 404, patience)
    const allowed = allowedByRole()
    const { requests } = at.cluster.server
    for (const verb of ['get', 'list', 'watch', 'patch', 'delete'])
      assert.ok(
        requests.some((each) => verbOf(each) === verb),
        verb,
      )
    const refused = requests.filter((each) => !allowed.has(`${verbOf(each)} ${resourceOf(each)}`))
    assert.deepEqual(refused, [])
  })

  test('a lost node is reported with its time, and no second pod starts', async () => {
    await using at = await startInPods({ intern_unresponsive_ms: 60_000 })
    const { id } = await made(at.service, 'ada')
    await at.cluster.loseNode()
    await untilIntern(at.service, id, 'failed', patience)
    const expected = /node node-1 has not reported since 2030-01-02T03:04:05Z/
    assert.match(await failureOf(at.service, id), expected)
    // It retries, and still reports the reason.
    await until(async () => /It cannot be started: .*node-1/.test(await failureOf(at.service, id)), patience)
    assert.equal(pods(at.cluster).length, 1)
  })

  test('an intern that answers on a node reported as lost keeps running', async () => {
    await using at = await startInPods({ intern_unresponsive_ms: 60_000 })
    const { id } = await made(at.service, 'ada')
    const question = await say(at.service, id, 'permission shell allow_once\nsay done')
    at.cluster.loseContact()
    // Its pod is reported after the node.
    await made(at.service, 'bea')
    assert.equal((await at.service.ask('GET', `/interns/${id}`)).body.status, 'running')
    assert.match((await answer(at.service, id, question, 'allow_once')).text, /done/)
  })

  test('another image is taken when the next server finds the intern idle', async () => {
    await using cluster = await startScriptedCluster()
    await using at = await startInPods({}, { cluster })
    const { id } = await made(at.service, 'ada')
    const question = await say(at.service, id, 'permission shell allow_once\nsay done')
    await at.service.stop()
    const settings = { kubernetes_image: 'signalbox:2', intern_unresponsive_ms: 1000 }
    await using next = await startInPods(settings, { cluster, testStore: at.service.testStore })
    const image = () => (cluster.objects.find('Pod', `intern-${id}-0`)?.spec as any)?.containers[0].image
    assert.match((await answer(next.service, id, question, 'allow_once')).text, /done/)
    await until(() => image() === 'signalbox:2', patience)
    await untilIntern(next.service, id, 'running', patience)
    assert.equal(
      (await say(next.service, id, 'say hi', { session_id: question.sessionId })).sessionId,
      question.sessionId,
    )
  })

  test('a server that takes an intern over renews its certificate in the running pod', async () => {
    await using cluster = await startScriptedCluster()
    await using at = await startInPods({}, { cluster })
    const { id } = await made(at.service, 'ada')
    const question = await say(at.service, id, 'permission shell allow_once\nsay done')
    const certificate = () =>
      readFileSync(join(cluster.foldersOf(`intern-${id}`).configured, 'certificate.pem'), 'utf8')
    const first = certificate()
    await at.service.stop()
    await using next = await startInPods({}, { cluster, testStore: at.service.testStore })
    await until(() => certificate() !== first, patience)
    assert.match((await answer(next.service, id, question, 'allow_once')).text, /done/)
  })

  test('pods of interns that the database does not have end, and their volumes remain', async () => {
    await using cluster = await startScriptedCluster()
    await using at = await startInPods({}, { cluster })
    const { id } = await made(at.service, 'ada')
    await at.service.stop()
    // This server has a new database, so the intern does not exist for it.
    await using _other = await startInPods({}, { cluster })
    await until(() => pods(cluster).length === 0, patience)
    assert.ok(cluster.objects.find('PersistentVolumeClaim', `intern-${id}`))
  })
})
