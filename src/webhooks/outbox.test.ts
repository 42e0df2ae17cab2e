import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap } from '#identity/accounts/bootstrap.ts'
import { newUuid } from '#platform/core/id.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { queueEvent } from './outbox.ts'

const webhook = (id: string, createdBy: string, workspaceId: string, organizationId: string) => ({
  id,
  organization_id: organizationId,
  workspace_id: workspaceId,
  url: 'https://example.com',
  description: null,
  events: '["intern.failed"]',
  include: '[]',
  format: 'standard',
  enabled: 1,
  disabled_reason: null,
  failing_since: null,
  sealed: '',
  sealed_by: '',
  sealed_before: null,
  before_until: null,
  created_by: createdBy,
  created_at: 0,
  updated_at: 0,
})

onEachDatabase('the queue of webhook events', (kind) => {
  for (const [visibleTo, expected] of [
    ['member-1', ['of-member-1']],
    [undefined, ['of-member-1', 'of-member-2']],
  ] as const)
    test(`an event visible to ${visibleTo ?? 'the workspace'} is queued for the webhooks of its audience`, async () => {
      await using store = await newDb(kind)
      const { db } = store
      await bootstrap({ db, now: () => 0, newId: newUuid })
      const workspace = await db.query.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow()
      for (const member of ['member-1', 'member-2'])
        await db.query
          .insertInto('webhooks')
          .values(webhook(`of-${member}`, member, workspace.id, workspace.organization_id))
          .execute()
      const event = {
        event: 'intern.failed',
        deduplicationKey: newUuid(),
        at: 0,
        workspaceId: workspace.id,
        visibleTo,
        data: {},
      } as const
      await db.exclusively('test', (tx, publish) => queueEvent(tx, publish, event))
      const rows = await db.query.selectFrom('webhook_deliveries').select('webhook_id').orderBy('webhook_id').execute()
      assert.deepEqual(
        rows.map(({ webhook_id }) => webhook_id),
        expected,
      )
    })
})
