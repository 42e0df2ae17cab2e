import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiClient } from '../../kit/api-client.ts'
import { apply } from './apply.ts'

test('a key that cannot be put under its guardrail is taken back, and not told', async () => {
  const asked: string[] = []
  const ask = async (method: string, path: string) => {
    asked.push(`${method} ${path}`)
    if (path.includes('/assignments/')) throw new Error('no')
    return { data: { id: 'g1', hash: 'h1', workspace_id: 'w1' }, key: 'sb-v1-secret' }
  }
  const client = { ask, listAll: async () => [] } as unknown as ApiClient
  const policies = { defaults: {}, guardrails: [], workspaces: [], keys: [{ key: { name: 'k' }, models: ['a/b'] }] }
  const said: string[] = []
  await assert.rejects(
    apply(client, { policies, presets: [] }, (line) => void said.push(line)),
    /no/,
  )
  assert.equal(asked.at(-1), 'DELETE /keys/h1')
  assert.doesNotMatch(said.join('\n'), /sb-v1/)
})
