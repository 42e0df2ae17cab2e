import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap } from '#identity/accounts/bootstrap.ts'
import { newUuid } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { changePreset, designateVersion } from './change-preset.ts'
import { savePreset } from './save-preset.ts'
import type { PresetWriter } from './write-preset.ts'

const settings = { systemPrompt: null, config: {} }

async function firstWriter(deps: Parameters<typeof bootstrap>[0]): Promise<PresetWriter> {
  await bootstrap(deps)
  const key = await deps.db.query.selectFrom('api_keys').selectAll().limit(1).executeTakeFirstOrThrow()
  return {
    workspaceId: key.workspace_id,
    organizationId: key.organization_id,
    userId: key.creator_user_id,
    keyHash: key.hash,
  }
}

onEachDatabase('writing presets', (kind) => {
  const prepared = async (db: Db) => {
    const deps = { db, now: Date.now, newId: newUuid }
    return { deps, writer: await firstWriter(deps) }
  }

  test('every change is announced with the cache key of the preset', async () => {
    await using store = await newDb(kind)
    const { deps, writer } = await prepared(store.db)
    const announced: string[] = []
    store.db.signals.subscribe('preset.changed', (name) => announced.push(name))
    await savePreset(deps, writer, 'haiku', settings)
    await savePreset(deps, writer, 'haiku', settings)
    await designateVersion(deps, writer, 'haiku', 1)
    await changePreset(deps, writer, 'haiku', { status: 'disabled' })
    await changePreset(deps, writer, 'haiku', { status: 'disabled' })
    assert.deepEqual(announced.slice(0, 4), Array(4).fill(`${writer.workspaceId}/haiku`))
    assert.ok(kind === 'postgres' || announced.length === 4, 'a change that changes nothing is not announced')
  })

  test('a failed save leaves no preset, version or audit record', async () => {
    await using store = await newDb(kind)
    const { deps, writer } = await prepared(store.db)
    const ids = [newUuid(), newUuid()]
    const newId = () => ids.pop() ?? assert.fail('no more ids')
    await assert.rejects(savePreset({ ...deps, newId }, writer, 'haiku', settings), /no more ids/)
    const { query } = store.db
    assert.deepEqual(await query.selectFrom('presets').selectAll().execute(), [])
    assert.deepEqual(await query.selectFrom('preset_versions').selectAll().execute(), [])
    const auditEvents = query.selectFrom('audit_events').selectAll().where('target_kind', '=', 'preset')
    assert.deepEqual(await auditEvents.execute(), [])
  })
})
