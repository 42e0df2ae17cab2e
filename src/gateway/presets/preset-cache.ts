import type { Db } from '#platform/db/db.ts'
import { createReadCache } from '#platform/db/rows/read-cache.ts'
import type { AllowStale } from '#platform/db/rows/stale-reads.ts'
import { isSlug, type Preset, type PresetVersion, type PresetWithVersion } from './preset.ts'
import { findPreset, findVersion } from './preset-rows.ts'
import { throwPresetNotFound, throwVersionNotFound } from './read-presets.ts'

/** Caches the presets that requests use. */
export type PresetCache = {
  /** @throws Fault `not_found`: the same for a preset that is unknown, inactive or of another workspace. */
  find: (workspaceId: string, slug: string) => Promise<PresetWithVersion>
  /** Returns one version of a preset that was found. @throws Fault `not_found` */
  findVersion: (preset: Pick<Preset, 'id' | 'slug'>, version: number) => Promise<PresetVersion>
  close: () => void
}

const maxSlugLength = 64
const maxVersions = 1000

type PresetCacheDeps = { db: Pick<Db, 'query' | 'signals'>; allowStale?: AllowStale }

export function createPresetCache({ db, allowStale }: PresetCacheDeps): PresetCache {
  const presets = createReadCache({
    signals: db.signals,
    allowStale,
    topic: 'preset.changed',
    read: (name) => {
      const [workspaceId = '', slug = ''] = name.split('/')
      return findPreset(db.query, workspaceId, slug)
    },
    isCacheable: (preset) => preset !== undefined,
    maxEntries: 1000,
  })
  /** Versions never change. */
  const versions = new Map<string, PresetVersion>()
  return {
    async find(workspaceId, slug) {
      if (slug.length > maxSlugLength) return throwPresetNotFound(`${slug.slice(0, maxSlugLength)}…`)
      // An invalid slug is never looked up. A slash would make it the key of another workspace, and U+0000 makes the
      // query fail.
      const preset = isSlug(slug) ? await presets.get(`${workspaceId}/${slug}`) : undefined
      return preset?.status === 'active' ? preset : throwPresetNotFound(slug)
    },
    async findVersion({ id, slug }, number) {
      const name = `${id}/${number}`
      const cached = versions.get(name)
      if (cached) return cached
      const version = (await findVersion(db.query, id, number)) ?? throwVersionNotFound(slug, number)
      versions.set(name, version)
      if (versions.size > maxVersions) versions.delete(versions.keys().next().value!)
      return version
    },
    close: presets.close,
  }
}
