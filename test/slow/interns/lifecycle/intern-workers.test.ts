import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type DatabaseKind, newTestStore, onOneDatabase } from '../../../harness/database/databases.ts'
import { scripted } from '../../../harness/interns/intern-chat.ts'
import { askAt } from '../../../harness/interns/intern-hosts.ts'
import { answer, type InternReply, runningIntern } from '../../../harness/interns/interns.ts'
import { endDaemonsIn } from '../../../harness/service/leftovers.ts'
import { startProcess } from '../../../harness/service/server-process.ts'
import { until } from '../../../harness/until.ts'

const apiKey = `sb-v1-${'b'.repeat(64)}`

/** Each request of an intern to its model costs a cent. */
const models = {
  'signalbox/demo': { endpoints: { signalbox: { prices: { prompt: 0, completion: 0, request: 0.01 } } } },
}

/** A service of two processes. */
async function startWorkers(kind: DatabaseKind) {
  const testStore = await newTestStore(kind)
  const opened = new AsyncDisposableStack()
  opened.defer(testStore.remove)
  const { data_dir, database_url } = testStore.settings
  opened.defer(() => endDaemonsIn(data_dir))
  const beside = join(data_dir, '..', `workers-${process.pid}-${kind}`)
  const [CONFIG, CATALOGUE_FILE] = [`${beside}.json`, `${beside}-catalogue.json`]
  writeFileSync(CONFIG, JSON.stringify(scripted))
  writeFileSync(CATALOGUE_FILE, JSON.stringify({ models }))
  const server = opened.use(
    startProcess({
      ...{ CONFIG, DATA_DIR: data_dir, WORKERS: '2', INTERN_USERS_FROM: '0', BOOTSTRAP_API_KEY: apiKey },
      ...{ CATALOGUE_FILE, ...(database_url && { DATABASE_URL: database_url }) },
    }),
  )
  return { ask: askAt(await server.url), [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

onOneDatabase('with several processes', (kind) => {
  test('a budget of a turn is never passed by requests that they get at once', async () => {
    await using service = await startWorkers(kind)
    const { ask } = service
    const { id } = await runningIntern({ ask }, { agent: 'scripted', budget: { max_cost_usd: 0.035 } })
    const body = { background: true, messages: [{ role: 'user', content: 'models_say 20\nwait 3600000' }] }
    await ask('POST', `/interns/${id}/chat/completions`, { body })
    const run = await until(async () => {
      const [last] = (await ask('GET', `/interns/${id}/runs`)).body.data
      return last?.status === 'ended' && last
    })
    assert.deepEqual([run.outcome, run.cost_usd], ['over_budget', 0.03])
  })

  test('questions of background runs are in the replay of rules', async () => {
    await using service = await startWorkers(kind)
    const { ask } = service
    const { id } = await runningIntern({ ask }, { agent: 'scripted' })
    const messages = [{ role: 'user', content: 'permission shell allow_once reject_once\nsay done' }]
    const body = { background: true, approval_mode: 'manual', messages }
    const { session_id: sessionId } = (await ask('POST', `/interns/${id}/chat/completions`, { body })).body.data
    const waiting = await until(async () => (await ask('GET', `/interns/${id}/questions`)).body.data[0])
    await answer(
      { ask },
      id,
      { sessionId, question: { id: waiting.id, arguments: { kind: '' } } } as InternReply,
      'reject_once',
    )
    const replayed = await until(async () => {
      const { body } = await ask('POST', `/interns/${id}/rules/replay`, { body: { rules: [{ effect: 'allow' }] } })
      return body.data?.all.questions > 0 && body.data
    })
    assert.deepEqual([replayed.all.questions, replayed.all.people_rejected], [1, 1])
  })
})
