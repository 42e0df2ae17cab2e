import type { NewWorkspace, Workspace, WorkspacePatch } from '../../api/types.ts'
import { countText } from '../../format/count.ts'

/** The form state of a workspace. `keys` null means all keys. */
export type WorkspaceFields = {
  name: string
  slug: string
  description: string
  storesContent: boolean
  percent: string
  keys: string[] | null
}

export const newWorkspace: WorkspaceFields = {
  name: '',
  slug: '',
  description: '',
  storesContent: false,
  percent: '100',
  keys: null,
}

export const fieldsOfWorkspace = (workspace: Workspace): WorkspaceFields => ({
  name: workspace.name,
  slug: workspace.slug,
  description: workspace.description ?? '',
  storesContent: workspace.is_observability_io_logging_enabled,
  percent: percentOf(workspace.io_logging_sampling_rate),
  keys: workspace.io_logging_api_key_ids,
})

/** Converts the form to the API's format. */
export const parseWorkspaceFields = ({ name, slug, description, storesContent, percent, keys }: WorkspaceFields) =>
  ({
    name: name.trim(),
    slug: slug.trim(),
    description: description.trim() || null,
    is_observability_io_logging_enabled: storesContent,
    // Without the rounding errors of floats.
    io_logging_sampling_rate: Number((Number(percent) / 100).toFixed(6)),
    io_logging_api_key_ids: keys,
  }) satisfies NewWorkspace

/** The changed fields. */
export function workspacePatch(oldFields: WorkspaceFields, newFields: WorkspaceFields): WorkspacePatch {
  const [old, next] = [parseWorkspaceFields(oldFields), parseWorkspaceFields(newFields)]
  return Object.fromEntries(
    Object.entries(next).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(old[field as keyof typeof old]),
    ),
  ) as WorkspacePatch
}

/** The default slug for a name. */
export const slugFor = (name: string) =>
  name
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 64)
    .replace(/-$/, '')

const percentOf = (rate: number) => String(Number((rate * 100).toFixed(4)))

/** Describes for which requests prompts and responses are stored. */
export function describeStorage(workspace: Workspace): string {
  const { is_observability_io_logging_enabled: storesContent, io_logging_sampling_rate: rate } = workspace
  const { io_logging_api_key_ids: keys } = workspace
  if (!storesContent || keys?.length === 0) return 'not stored'
  const share = rate >= 1 ? 'all requests' : `${percentOf(rate)} % of requests`
  return keys === null ? `stored for ${share}` : `stored for ${share} of ${countText(keys.length, 'key')}`
}
