import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { uploadOf } from './upload.ts'

const silenceMs = 50

/** A request that has received these pieces, and its end if it is `complete`. */
function requestOf(pieces: string[], { complete }: { complete: boolean }): IncomingMessage {
  const request = new IncomingMessage(new Socket())
  for (const piece of pieces) request.push(piece)
  if (complete) request.push(null)
  request.complete = complete
  return request
}

test("the reader's time for a chunk does not count as silence of the client", async () => {
  const read: string[] = []
  for await (const piece of uploadOf(requestOf(['a', 'b', 'c'], { complete: true }), silenceMs)) {
    read.push(String(piece))
    await sleep(3 * silenceMs)
  }
  assert.equal(read.join(''), 'abc')
})

test('a silent client gets a timeout, also after a slow reader', async () => {
  const reading = async () => {
    for await (const _piece of uploadOf(requestOf(['a'], { complete: false }), silenceMs)) await sleep(3 * silenceMs)
  }
  await assert.rejects(reading(), { kind: 'request_timeout' })
})
