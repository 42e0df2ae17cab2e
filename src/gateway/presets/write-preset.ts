import type { Caller } from '#identity/accounts/caller.ts'
import { type Change, recordChange } from '#identity/audit/audit.ts'
import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import type { PresetWithVersion } from './preset.ts'
import { findPreset } from './preset-rows.ts'

export type WriteDeps = { db: Db; now: Now; newId: NewId }

/** The user and key that write, and the workspace. */
export type PresetWriter = Pick<Caller, 'workspaceId' | 'organizationId' | 'userId' | 'keyHash' | 'precondition'>

/** `version`: a saved version that is not designated, which the preset does not name. */
type PresetChange = { action: Change['action']; version?: { id: string; version: number } } | undefined

/**
 * Runs `work` as the only writer of one preset and returns the preset afterwards. Audits and announces the change that
 * `work` returns; undefined means no change.
 * @throws Fault `conflict` if another writer locked the preset for too long.
 */
export async function writePreset(
  deps: WriteDeps,
  caller: PresetWriter,
  slug: string,
  work: (tx: Tx, previousPreset: PresetWithVersion | undefined) => Promise<PresetChange>,
): Promise<PresetWithVersion> {
  const name = `${caller.workspaceId}/${slug}`
  return deps.db.exclusively(`preset:${name}`, async (tx, publish) => {
    const previousPreset = await findPreset(tx, caller.workspaceId, slug)
    const change = await work(tx, previousPreset)
    // Only an existing preset can stay unchanged.
    if (!change) return previousPreset!
    const updatedPreset = (await findPreset(tx, caller.workspaceId, slug))!
    await recordChange(deps, tx, caller, {
      action: change.action,
      targetKind: 'preset',
      targetId: updatedPreset.id,
      before: previousPreset ? toAuditForm(previousPreset) : null,
      after: { ...toAuditForm(updatedPreset), ...(change.version && { saved_version: change.version }) },
    })
    publish('preset.changed', name)
    return updatedPreset
  })
}

/** The time of a change, later than the previous one, so that the entity tag changes with `updated_at`. */
export function nextUpdateTime({ now }: { now: Now }, previousPreset: PresetWithVersion | undefined): number {
  return Math.max(now(), previousPreset ? Date.parse(previousPreset.updated_at) + 1 : 0)
}

/** Versions never change and are never deleted, so the audit log refers to them. */
function toAuditForm({ designated_version: { id, version }, ...preset }: PresetWithVersion) {
  return { ...preset, designated_version: { id, version } }
}
