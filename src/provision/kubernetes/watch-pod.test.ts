import assert from 'node:assert/strict'
import { test } from 'node:test'
import { podOf } from './pod.ts'
import { watchPod } from './watch-pod.ts'

/** What is told of a pod that runs at first and then has this status. */
async function toldOf(status: object): Promise<string> {
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
  const stop = watchPod(pods, { ...watched, health: async () => undefined }, told.resolve, () => {})
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

test('one that was evicted says what its node lacked', async () => {
  const message = 'Usage of EmptyDir volume "tmp" exceeds the limit "1Gi".'
  assert.match(
    await toldOf({ phase: 'Failed', reason: 'Evicted', message }),
    /^Its pod has failed: Evicted: Usage of EmptyDir/,
  )
})
