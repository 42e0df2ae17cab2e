import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { DecodingSink } from './decode.ts'

/** The text that a sink gets of a response in these chunks. */
function decoded(headers: Record<string, string>, chunks: Buffer[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const received: Buffer[] = []
    const sink = new DecodingSink(
      {
        head() {},
        data: (chunk) => void received.push(Buffer.from(chunk)),
        end: () => resolve(Buffer.concat(received).toString()),
        fail: ({ message }) => reject(new Error(message)),
      },
      { pauseSource() {}, resumeSource() {} },
    )
    sink.head(200, headers)
    for (const chunk of chunks) sink.data(chunk)
    sink.end()
  })
}

test('a compressed response is read without the header that announces it', async () => {
  const bytes = gzipSync('{"choices":[]}')
  assert.equal(await decoded({}, [bytes.subarray(0, 3), bytes.subarray(3)]), '{"choices":[]}')
})

test('bytes that look compressed within a response stay as they are', async () => {
  assert.equal(await decoded({}, [Buffer.from('a'), Buffer.from([0x1f, 0x0b, 0x08])]), 'a\u001f\u000b\b')
})
