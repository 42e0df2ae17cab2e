import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mediaIn } from './media.ts'

const withFile = (file: object) => mediaIn({ messages: [{ role: 'user', content: [{ type: 'file', file }] }] })

test('a file within the request is what its own type says, whatever its data end in', () => {
  const unknown = 'data:application/octet-stream;base64,AAAAAAAA.pdf'
  assert.equal(withFile({ file_data: unknown }).files, true)
  assert.equal(withFile({ file_data: 'data:application/pdf;base64,AAAA' }).files, false)
  assert.equal(withFile({ file_data: 'https://files.example/a/long/way/to/the/talk.pdf' }).files, false)
})
