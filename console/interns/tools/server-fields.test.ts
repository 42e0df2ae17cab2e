import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { McpServer } from '../../api/types.ts'
import { asStored, fieldsOf, newServer, toApiServer } from './server-fields.ts'

const search: McpServer = {
  name: 'search',
  type: 'stdio',
  command: 'npx',
  args: ['-y', 'search server'],
  readable: ['/opt/tools'],
  env: { TOKEN: '********' },
  timeout_seconds: 30,
}

test('asStored keeps hidden values of an unchanged server', () => {
  assert.deepEqual(asStored(search), search)
})

test('toApiServer sends typed credentials and keeps stored ones', () => {
  const fields = fieldsOf(search)
  const typed = { name: 'REGION', value: 'eu', isStored: false }
  assert.deepEqual(toApiServer({ ...fields, credentials: [...fields.credentials, typed] }), {
    ...search,
    env: { TOKEN: '********', REGION: 'eu' },
  })
})

test('toApiServer sends headers and no command for a URL', () => {
  const sent = toApiServer({ ...newServer, name: 'web', url: ' https://tools.example/mcp ', command: 'left over' })
  assert.deepEqual(sent, {
    name: 'web',
    type: 'http',
    timeout_seconds: 60,
    url: 'https://tools.example/mcp',
    headers: {},
  })
})
