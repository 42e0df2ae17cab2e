import type { Selectable } from 'kysely'
import { isoTime } from '#platform/core/clock.ts'
import type { Query, Tx } from '#platform/db/db.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { Page, PageQuery } from '#platform/json/page.ts'
import type { Preset, PresetStatus, PresetVersion, PresetWithVersion } from './preset.ts'

/** Statements on presets and their versions. No other file reads or writes these tables. */

type Reader = Query | Tx
type PresetRow = Selectable<Tables['presets']>
type VersionRow = Selectable<Tables['preset_versions']>

/** A version in the domain. Its contents are serialized here. */
type NewVersion = Omit<VersionRow, 'config'> & { config: Record<string, unknown> }

export async function findPreset(
  db: Reader,
  workspaceId: string,
  slug: string,
): Promise<PresetWithVersion | undefined> {
  const row = await db
    .selectFrom('presets')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('slug', '=', slug)
    .executeTakeFirst()
  if (!row) return undefined
  return { ...toPreset(row), designated_version: await findVersionById(db, row.designated_version_id) }
}

/** The most recently changed first. */
export async function findPresetPage(
  db: Reader,
  { workspaceId, slugs }: { workspaceId: string; slugs?: readonly string[] },
  page: PageQuery,
): Promise<Page<Preset>> {
  if (slugs?.length === 0) return { data: [], total_count: 0 }
  const all = db.selectFrom('presets').where('workspace_id', '=', workspaceId)
  const matching = slugs ? all.where('slug', 'in', slugs) : all
  const [rows, count] = await Promise.all([
    matching.selectAll().orderBy('updated_at', 'desc').orderBy('slug').offset(page.offset).limit(page.limit).execute(),
    matching.select((e) => e.fn.countAll<number>().as('n')).executeTakeFirstOrThrow(),
  ])
  return { data: rows.map(toPreset), total_count: count.n }
}

/** The oldest first. */
export async function findVersionPage(db: Reader, presetId: string, page: PageQuery): Promise<Page<PresetVersion>> {
  const matching = db.selectFrom('preset_versions').where('preset_id', '=', presetId)
  const [rows, count] = await Promise.all([
    matching.selectAll().orderBy('version').offset(page.offset).limit(page.limit).execute(),
    matching.select((e) => e.fn.countAll<number>().as('n')).executeTakeFirstOrThrow(),
  ])
  return { data: rows.map(toVersion), total_count: count.n }
}

export async function findVersion(db: Reader, presetId: string, version: number): Promise<PresetVersion | undefined> {
  const row = await db
    .selectFrom('preset_versions')
    .selectAll()
    .where('preset_id', '=', presetId)
    .where('version', '=', version)
    .executeTakeFirst()
  return row && toVersion(row)
}

export async function findVersionById(db: Reader, id: string): Promise<PresetVersion> {
  return toVersion(await db.selectFrom('preset_versions').selectAll().where('id', '=', id).executeTakeFirstOrThrow())
}

/** The number of the latest version; 0 if there is none. */
export async function findLatestVersionNumber(tx: Tx, presetId: string): Promise<number> {
  const newest = await tx
    .selectFrom('preset_versions')
    .select((e) => e.fn.max<number | null>('version').as('n'))
    .where('preset_id', '=', presetId)
    .executeTakeFirst()
  return newest?.n ?? 0
}

export async function insertPreset(tx: Tx, row: PresetRow): Promise<void> {
  await tx.insertInto('presets').values(row).execute()
}

export async function updatePreset(tx: Tx, id: string, patch: Partial<Omit<PresetRow, 'id'>>): Promise<void> {
  await tx.updateTable('presets').set(patch).where('id', '=', id).execute()
}

export async function insertVersion(tx: Tx, version: NewVersion): Promise<void> {
  await tx
    .insertInto('preset_versions')
    .values({
      ...version,
      // As JSON, because Postgres cannot store every character as plain text.
      system_prompt: version.system_prompt === null ? null : JSON.stringify(version.system_prompt),
      config: JSON.stringify(version.config),
    })
    .execute()
}

function toPreset(row: PresetRow): Preset {
  return {
    ...row,
    status: row.status as PresetStatus,
    status_updated_at: row.status_updated_at === null ? null : isoTime(row.status_updated_at),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }
}

function toVersion(row: VersionRow): PresetVersion {
  return {
    ...row,
    system_prompt: row.system_prompt === null ? null : JSON.parse(row.system_prompt),
    config: JSON.parse(row.config),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }
}
