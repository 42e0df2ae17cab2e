import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Warning } from '../client/object.ts'
import { KubernetesError } from '../client/requests.ts'
import { findEviction } from './eviction.ts'
import { toPod } from './pod.ts'

/** Messages of kubelets, and the reasons for the intern's owner, without the prefix `from the node node-1 at …: `. */
const messages = [
  ['Usage of EmptyDir volume "tmp" exceeds the limit "1Gi". ', 'its temporary files (/tmp) took more than 1Gi'],
  [
    'The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. Container daemon was using 300Mi, request is 256Mi, has larger consumption of memory. ',
    'the node had too little memory left, of which it was using 300Mi',
  ],
  [
    'The node was low on resource: ephemeral-storage. Threshold quantity: 1Gi, available: 0. ',
    'the node had too little disk left',
  ],
  ['The node had condition: [DiskPressure]. ', 'The node had condition: [DiskPressure]'],
  ['', 'without a reason'],
] as const
const at = '2030-01-01T00:00:20Z'

test('the event of an eviction is reported with node, time and reason', async () => {
  for (const [message, why] of messages) {
    const of = (uid: string, reason: string): Warning => ({
      involvedObject: { name: 'intern-ada-0', uid },
      type: 'Warning',
      reason,
      message,
      lastTimestamp: at,
    })
    const reason = (...warnings: Warning[]) =>
      findEviction({ warnings: async () => warnings }, 'ada', { uid: 'one', node: 'node-1' })
    const expected = `its pod was evicted from the node node-1 at ${at}: ${why}`
    assert.equal(await reason(of('one', 'BackOff'), of('another', 'Evicted'), of('one', 'Evicted')), expected)
    assert.equal(await reason(of('another', 'Evicted'), of('one', 'BackOff')), undefined)
  }
})

test('an eviction in the state of the pod is reported in the same way', () => {
  for (const [message, why] of messages) {
    const conditions = [{ type: 'DisruptionTarget', status: 'True', lastTransitionTime: at, message: 'terminated' }]
    const status = { phase: 'Failed', reason: 'Evicted', message, conditions }
    const pod = toPod({ kind: 'Pod', metadata: { name: 'intern-ada-0' }, spec: { nodeName: 'node-1' }, status })
    assert.deepEqual(
      [pod.problem, pod.isProblemExplained],
      [`its pod was evicted from the node node-1 at ${at}: ${why}`, true],
      message,
    )
  }
})

test('an error of the cluster is not hidden as a missing eviction', async () => {
  const fail = async () => {
    throw new KubernetesError('The Kubernetes API server does not respond.')
  }
  await assert.rejects(findEviction({ warnings: fail }, 'ada', { uid: 'one', node: undefined }), KubernetesError)
})
