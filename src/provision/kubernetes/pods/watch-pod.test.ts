import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toPod } from './pod.ts'
import { watchPod } from './watch-pod.ts'

/** The reported reason for the end of a running pod that gets this status, with an optional reason of its node. */
async function reasonOf(status: object, why?: string): Promise<string> {
  const reported = Promise.withResolvers<string>()
  const podWith = (of: object) =>
    toPod({ kind: 'Pod', metadata: { name: 'intern-ada-0', uid: 'one' }, status: { podIP: '10.0.0.1', ...of } })
  const pods = {
    follow: (_internId: string, listener: (pod: ReturnType<typeof toPod>) => void) => {
      listener(podWith({ containerStatuses: [{ name: 'daemon', restartCount: 0, state: { running: {} } }] }))
      setImmediate(() => listener(podWith(status)))
      return () => {}
    },
  }
  const options = { internId: 'ada', address: '10.0.0.1', image: 'signalbox:1', unresponsiveMs: 60_000 }
  const reports = {
    health: async () => undefined,
    findEviction: async ({ uid }: { uid: string }) => (uid === 'one' ? why : ''),
  }
  const stop = watchPod(pods, { ...options, ...reports }, reported.resolve, () => {})
  return reported.promise.finally(stop)
}

const restarted = (lastState?: object) => ({
  containerStatuses: [{ name: 'daemon', restartCount: 1, state: { running: {} }, ...(lastState && { lastState }) }],
})

test('a daemon that was killed for its memory is reported with the setting', async () => {
  const reason = await reasonOf(restarted({ terminated: { exitCode: 137, reason: 'OOMKilled' } }))
  assert.match(
    reason,
    /^Its daemon ended with code 137 \(OOMKilled\): .* \(setting "intern_memory_bytes"\), and the cluster restarted it\.$/,
  )
  assert.equal(await reasonOf(restarted()), 'Its daemon ended without a message, and the cluster restarted it.')
})

test('an eviction is reported instead of the end of the daemon', async () => {
  const ended = {
    containerStatuses: [
      { name: 'daemon', restartCount: 0, state: { terminated: { exitCode: 0, reason: 'Completed' } } },
    ],
  }
  assert.equal(await reasonOf(ended), 'Its daemon ended with code 0 (Completed).')
  assert.equal(await reasonOf(ended, 'its pod was evicted'), 'Its pod was evicted.')
})

test('a stopped watch reports nothing', async () => {
  const answered = Promise.withResolvers<string>()
  const reasons: string[] = []
  const requested = Promise.withResolvers<void>()
  const evicted = () => {
    requested.resolve()
    return answered.promise
  }
  const podWith = (of: object) =>
    toPod({ kind: 'Pod', metadata: { name: 'intern-ada-0', uid: 'one' }, status: { ...of } })
  const pods = {
    follow: (_internId: string, listener: (pod: ReturnType<typeof toPod>) => void) => {
      listener(
        podWith({
          podIP: '10.0.0.1',
          containerStatuses: [{ name: 'daemon', restartCount: 0, state: { running: {} } }],
        }),
      )
      setImmediate(() => listener(podWith({ phase: 'Failed' })))
      return () => {}
    },
  }
  const options = { internId: 'ada', address: '10.0.0.1', image: 'signalbox:1', unresponsiveMs: 60_000 }
  const stop = watchPod(
    pods,
    { ...options, health: async () => undefined, findEviction: evicted },
    (why) => reasons.push(why),
    () => {},
  )
  await requested.promise
  stop()
  answered.resolve('its pod was evicted')
  await new Promise(setImmediate)
  assert.deepEqual(reasons, [])
})
