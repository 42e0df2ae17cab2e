import assert from 'node:assert/strict'
import { test } from 'node:test'
import { podOf } from './pod.ts'
import { watchPod } from './watch-pod.ts'

/** What is told of a pod that runs at first and then has this status, and for whose end its node has a reason, or none. */
async function toldOf(status: object, why?: string): Promise<string> {
  const told = Promise.withResolvers<string>()
  const seen = (of: object) =>
    podOf({ kind: 'Pod', metadata: { name: 'intern-ada-0', uid: 'one' }, status: { podIP: '10.0.0.1', ...of } })
  const pods = {
    follow: (_intern: string, hear: (pod: ReturnType<typeof podOf>) => void) => {
      hear(seen({ containerStatuses: [{ restartCount: 0, state: { running: {} } }] }))
      setImmediate(() => hear(seen(status)))
      return () => {}
    },
  }
  const watched = { intern: 'ada', address: '10.0.0.1', image: 'signalbox:1', unresponsiveMs: 60_000 }
  const asked = {
    health: async () => undefined,
    evicted: async ({ uid }: { uid: string }) => (uid === 'one' ? why : ''),
  }
  const stop = watchPod(pods, { ...watched, ...asked }, told.resolve, () => {})
  return told.promise.finally(stop)
}

const again = (lastState?: object) => ({
  containerStatuses: [{ restartCount: 1, state: { running: {} }, ...(lastState && { lastState }) }],
})

test('one whose daemon was killed for its memory and begun anew says so, with the setting', async () => {
  const told = await toldOf(again({ terminated: { exitCode: 137, reason: 'OOMKilled' } }))
  assert.match(
    told,
    /^Its daemon ended with code 137 \(OOMKilled\): .* \(setting "intern_memory_bytes"\), and was started again by the cluster\.$/,
  )
  assert.equal(await toldOf(again()), 'Its daemon ended without a word, and was started again by the cluster.')
})

test('of one whose daemon ended because its node evicts it, the eviction is told', async () => {
  const ended = {
    containerStatuses: [{ restartCount: 0, state: { terminated: { exitCode: 0, reason: 'Completed' } } }],
  }
  assert.equal(await toldOf(ended), 'Its daemon ended with code 0 (Completed).')
  assert.equal(await toldOf(ended, 'its pod was evicted'), 'Its pod was evicted.')
})

test('what nobody wants to know any more is not told late', async () => {
  const answered = Promise.withResolvers<string>()
  const told: string[] = []
  const asked = Promise.withResolvers<void>()
  const evicted = () => {
    asked.resolve()
    return answered.promise
  }
  const seen = (of: object) => podOf({ kind: 'Pod', metadata: { name: 'intern-ada-0', uid: 'one' }, status: { ...of } })
  const pods = {
    follow: (_intern: string, hear: (pod: ReturnType<typeof podOf>) => void) => {
      hear(seen({ podIP: '10.0.0.1', containerStatuses: [{ restartCount: 0, state: { running: {} } }] }))
      setImmediate(() => hear(seen({ phase: 'Failed' })))
      return () => {}
    },
  }
  const watched = { intern: 'ada', address: '10.0.0.1', image: 'signalbox:1', unresponsiveMs: 60_000 }
  const stop = watchPod(
    pods,
    { ...watched, health: async () => undefined, evicted },
    (why) => told.push(why),
    () => {},
  )
  await asked.promise
  stop()
  answered.resolve('its pod was evicted')
  await new Promise(setImmediate)
  assert.deepEqual(told, [])
})
