import { isDeepStrictEqual } from 'node:util'
import type { Caller } from '#identity/accounts/caller.ts'
import { getWorkspace } from '#identity/accounts/workspaces.ts'
import { recordChange } from '#identity/audit/audit.ts'
import { isoTime, type Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db, Query } from '#platform/db/db.ts'
import { requireOwner } from '../registry/intern-owner.ts'
import { findIntern } from '../registry/intern-store.ts'
import type { RulesBody, RulesRecord } from './rules-body.ts'
import { findRules, insertRules, type RuleOwner, type StoredRules } from './rules-store.ts'

type ReadDeps = { db: { query: Query } }
type ChangeDeps = { db: Db; now: Now; newId: NewId }

/** Reads the current version of rules, or an earlier one. Version 0 has no rules. @throws Fault `not_found`. */
export async function readRules({ db }: ReadDeps, owner: RuleOwner, version: number | undefined): Promise<RulesRecord> {
  const rules = await findRules(db.query, owner, version)
  if (!rules && version) throw new Fault('not_found', `Version ${version} of these rules not found.`)
  return toRulesRecord(rules)
}

/** @throws Fault `not_found`. */
export async function findWorkspaceRuleOwner(deps: ReadDeps, caller: Caller, name: string): Promise<RuleOwner> {
  return { workspaceId: (await getWorkspace(deps, caller, name)).id, internId: null }
}

/** @throws Fault `not_found`. */
export async function findInternRuleOwner(deps: ReadDeps, caller: Caller, id: string): Promise<RuleOwner> {
  const intern = await findIntern(deps, caller, id)
  return { workspaceId: intern.workspaceId, internId: intern.id }
}

/**
 * Replaces the rules by a new version. Equal rules do not create a version.
 * @throws Fault `conflict` if the rules are not at the expected version, `forbidden` for an intern of another member.
 */
export async function changeRules(
  deps: ChangeDeps,
  caller: Caller,
  owner: RuleOwner,
  { rules, expected_version: expected }: RulesBody,
): Promise<RulesRecord> {
  const { workspaceId, internId } = owner
  return deps.db.exclusively(`rules of ${internId ?? workspaceId}`, async (tx, publish) => {
    if (internId !== null) await requireOwner(tx, caller, await findIntern({ db: { query: tx } }, caller, internId))
    const before = await findRules(tx, owner)
    const version = before?.version ?? 0
    if (expected !== undefined && expected !== version)
      throw new Fault('conflict', `The rules are at version ${version}, not ${expected}: read them again.`)
    if (isDeepStrictEqual(before?.rules ?? [], rules)) return toRulesRecord(before)
    const after = { version: version + 1, rules, createdBy: caller.userId, createdAt: deps.now() }
    await insertRules(tx, owner, after)
    await recordChange(deps, tx, caller, {
      action: internId === null ? 'workspace.intern_rules_changed' : 'intern.rules_changed',
      targetKind: internId === null ? 'workspace' : 'intern',
      targetId: internId ?? workspaceId,
      before: before ? toRulesRecord(before) : null,
      after: toRulesRecord(after),
    })
    publish('rules.changed', internId ?? workspaceId)
    return toRulesRecord(after)
  })
}

function toRulesRecord(found: StoredRules | undefined): RulesRecord {
  if (!found) return { version: 0, rules: [], updated_at: null, updated_by_user_id: null }
  const { version, rules, createdAt, createdBy } = found
  return {
    version,
    rules: rules as RulesRecord['rules'],
    updated_at: isoTime(createdAt),
    updated_by_user_id: createdBy,
  }
}
