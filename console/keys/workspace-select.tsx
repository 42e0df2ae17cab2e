import { useAllRows } from '../api/pages.ts'
import { useSession } from '../api/session.ts'
import { useFilters } from '../components/filters.ts'

/** The workspace in the address, as query parameter of list routes. Defaults to the session's workspace. */
export function useWorkspaceFilter(): { workspace_id?: string } {
  const { workspace_id } = useFilters().values
  return workspace_id === undefined ? {} : { workspace_id }
}

/** Selects the workspace, for sessions that can read several. */
export function WorkspaceSelect() {
  const { values, set } = useFilters()
  const me = useSession()
  const workspaces = useAllRows('GET /workspaces', me && me.role !== 'developer' ? {} : undefined).data ?? []
  if (workspaces.length < 2) return null
  const selectedId = values.workspace_id ?? me?.workspace.id
  const selected = workspaces.find(({ id, slug }) => id === selectedId || slug === selectedId)
  return (
    <select
      aria-label="Workspace"
      value={selected?.slug}
      onChange={(event) => {
        const { value } = event.currentTarget
        const isOwn = workspaces.find(({ slug }) => slug === value)?.id === me?.workspace.id
        set({ workspace_id: isOwn ? undefined : value, offset: undefined })
      }}
    >
      {workspaces.map(({ id, slug, name }) => (
        <option key={id} value={slug}>
          {name}
        </option>
      ))}
    </select>
  )
}
