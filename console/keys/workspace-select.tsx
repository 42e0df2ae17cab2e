import { workspaceInAddress } from '../api/address/workspace-path.ts'
import { useAllRows } from '../api/pages.ts'
import { currentSession, showsAllWorkspaces } from '../api/session.ts'
import { useFilters } from '../components/filters/filters.ts'

/**
 * The workspace that `WorkspaceSelect` stores in the query of the address, as a query parameter of list routes. Empty for the
 * session's workspace, and on a page of one workspace, whose path names it.
 */
export function useWorkspaceFilter(): { workspace_id?: string } {
  const { workspace_id } = useFilters().values
  return workspace_id === undefined || workspaceInAddress() !== undefined ? {} : { workspace_id }
}

/** A select for the workspace, on a page of all workspaces. */
export function WorkspaceSelect() {
  const { values, set } = useFilters()
  const session = currentSession()
  const workspaces = useAllRows('GET /workspaces', session && showsAllWorkspaces(session) ? {} : undefined).data ?? []
  if (workspaces.length < 2) return null
  const selectedId = values.workspace_id ?? session?.workspace.id
  const selected = workspaces.find(({ id, slug }) => id === selectedId || slug === selectedId)
  return (
    <select
      aria-label="Workspace"
      value={selected?.slug}
      onChange={(event) => {
        const { value } = event.currentTarget
        const isOwn = workspaces.find(({ slug }) => slug === value)?.id === session?.workspace.id
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

/** The workspace of a tab that shows only one: that of the page, or the selected one on a page of all workspaces. */
export function useShownWorkspace(): { id: string; name: string } | undefined {
  const session = currentSession()
  const { workspace_id } = useWorkspaceFilter()
  if (!session) return undefined
  if (workspace_id === undefined) return session.workspace
  const workspace = session.workspaces.find(({ id, slug }) => id === workspace_id || slug === workspace_id)
  return { id: workspace?.id ?? workspace_id, name: workspace?.name ?? workspace_id }
}
