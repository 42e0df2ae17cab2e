import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../routes.ts'

test('each route below a workspace, and no other, declares the workspace parameter', () => {
  const below = routes.filter(({ path }) => path.startsWith('/workspaces/{id}'))
  assert.notEqual(below.length, 0)
  assert.deepEqual(
    routes.filter(({ workspaceParam }) => workspaceParam !== undefined).map(({ method, path }) => `${method} ${path}`),
    below.map(({ method, path }) => `${method} ${path}`),
  )
  assert.ok(below.every(({ path, workspaceParam }) => path.includes(`{${workspaceParam}}`)))
})
