import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiClient } from '../../kit/api-client.ts'
import { applyImport } from './apply.ts'

test('applyImport deletes and does not print a key whose guardrail cannot be assigned', async () => {
  const requests: string[] = []
  const request = async (method: string, path: string) => {
    requests.push(`${method} ${path}`)
    if (path.includes('/assignments/')) throw new Error('no')
    return { data: { id: 'g1', hash: 'h1', workspace_id: 'w1' }, key: 'sb-v1-secret' }
  }
  const client = { request, listAll: async () => [] } as unknown as ApiClient
  const objects = { defaults: {}, guardrails: [], workspaces: [], keys: [{ key: { name: 'k' }, models: ['a/b'] }] }
  const lines: string[] = []
  await assert.rejects(
    applyImport(client, { objects, presets: [] }, (line) => void lines.push(line)),
    /no/,
  )
  assert.equal(requests.at(-1), 'DELETE /keys/h1')
  assert.doesNotMatch(lines.join('\n'), /sb-v1/)
})
