import { addressInWorkspace, workspaceInAddress } from './api/address/workspace-path.ts'
import { hasAllWorkspaces, showsAllWorkspaces } from './api/session.ts'
import type { Session } from './api/types.ts'
import type { Command } from './components/palette/commands.ts'
import { screens } from './screens.ts'

/** A select for the workspace that the console shows. Owners and admins can select all together. */
export function WorkspaceSwitcher({ session, path }: { session: Session; path: string }) {
  if (session.workspaces.length < 2) return null
  const isAllWorkspaces = showsAllWorkspaces(session)
  return (
    <div class="workspace">
      <select
        aria-label="Workspace"
        value={isAllWorkspaces ? '' : slugOf(session)}
        onChange={({ currentTarget: field }) => {
          const { value } = field
          // The browser can restore this page from its back/forward cache, and the page must then show its own workspace.
          field.value = isAllWorkspaces ? '' : (slugOf(session) ?? '')
          switchTo(value || undefined, path)
        }}
      >
        {hasAllWorkspaces(session) && <option value="">All workspaces</option>}
        {session.workspaces.map(({ id, name, slug }) => (
          <option key={id} value={slug}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}

/** Names the workspace of a screen that cannot show all together. Below the links of the navigation, which then do not move. */
export function ShownWorkspace({ session, path }: { session: Session; path: string }) {
  const isSingleWorkspaceScreen = screens.some(
    ({ name, isSingleWorkspace }) => isSingleWorkspace && path.split('/')[1] === name,
  )
  if (session.workspaces.length < 2 || workspaceInAddress() !== undefined || !isSingleWorkspaceScreen) return null
  return <p class="dim shown-workspace">This screen shows the workspace {session.workspace.name}.</p>
}

/** Commands of the palette that open another workspace. */
export const workspaceCommands = (session: Session | undefined, path: string): Command[] =>
  (session && session.workspaces.length > 1 ? session.workspaces : []).map(({ name, slug }) => ({
    title: `Workspace: ${name}`,
    words: `switch ${slug}`,
    hint: 'Workspace',
    onSelect: () => switchTo(slug, path),
  }))

/** The name of the workspaces that the page shows. */
export function shownWorkspaces(session: Session): string {
  return showsAllWorkspaces(session) && session.workspaces.length > 1 ? 'all workspaces' : session.workspace.name
}

const slugOf = ({ workspace, workspaces }: Session) => workspaces.find(({ id }) => id === workspace.id)?.slug

const switchTo = (slug: string | undefined, path: string) => location.assign(addressInWorkspace(slug, screenOf(path)))

/** Screens with tabs stay on the tab. Anything else that a path names, such as a key, belongs to the workspace before. */
const tabPath = /^\/(?:keys|service)\/[a-z]+$/

const screenOf = (path: string) => (tabPath.test(path) ? path : path.split('/').slice(0, 2).join('/'))
