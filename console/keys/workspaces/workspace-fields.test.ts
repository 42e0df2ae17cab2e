import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Workspace } from '../../api/types.ts'
import {
  describeStorage,
  fieldsOfWorkspace,
  parseWorkspaceFields,
  slugFor,
  workspacePatch,
} from './workspace-fields.ts'

const workspace = (more: Partial<Workspace>) =>
  ({
    name: 'Research',
    slug: 'research',
    description: null,
    is_observability_io_logging_enabled: true,
    io_logging_sampling_rate: 0.125,
    io_logging_api_key_ids: null,
    ...more,
  }) as Workspace

test('workspacePatch has the changed fields, with the rate as a share', () => {
  const before = fieldsOfWorkspace(workspace({}))
  assert.equal(before.percent, '12.5')
  assert.deepEqual(workspacePatch(before, before), {})
  assert.deepEqual(workspacePatch(before, { ...before, percent: '0.01', keys: ['h'] }), {
    io_logging_sampling_rate: 0.0001,
    io_logging_api_key_ids: ['h'],
  })
  assert.deepEqual(parseWorkspaceFields({ ...before, name: ' A ', description: ' ' }).description, null)
})

test('describeStorage describes the requests whose prompts are stored', () => {
  const words = (more: Partial<Workspace>) => describeStorage(workspace(more))
  assert.equal(words({ is_observability_io_logging_enabled: false }), 'not stored')
  assert.equal(words({ io_logging_api_key_ids: [] }), 'not stored')
  assert.equal(words({}), 'stored for 12.5 % of requests')
  assert.equal(
    words({ io_logging_sampling_rate: 1, io_logging_api_key_ids: ['a', 'b'] }),
    'stored for all requests of 2 keys',
  )
})

test('slugFor converts a name to a slug', () => {
  assert.equal(slugFor('Équipe  “Données” 2'), 'equipe-donnees-2')
  assert.equal(slugFor(`${'a'.repeat(63)} b`), 'a'.repeat(63))
})
