import { useLocation } from 'preact-iso/router'
import { queryOf } from '../../api/address/address.ts'
import { workspaceInAddress } from '../../api/address/workspace-path.ts'
import { useAllRows } from '../../api/pages.ts'
import { canManage, currentSession } from '../../api/session.ts'
import { hasDraft } from '../../components/form/drafts.ts'
import { Rules } from './rules.tsx'

/** The rules for all interns of the workspace in the address. Defaults to the session's workspace. */
export function WorkspaceRules() {
  const { path, query, route } = useLocation()
  const sessionWorkspace = currentSession()!.workspace
  const isOneWorkspace = workspaceInAddress() !== undefined
  const workspaces = useAllRows('GET /workspaces', isOneWorkspace ? undefined : {}).data ?? [sessionWorkspace]
  const id = (!isOneWorkspace && query.workspace) || sessionWorkspace.id
  const choose = (workspace: string) => route(path + queryOf({ part: 'rules', workspace }))
  return (
    <>
      {workspaces.length > 1 && (
        <p>
          <label>
            Workspace{' '}
            <select value={id} onChange={(event) => choose(event.currentTarget.value)}>
              {workspaces.map((one) => (
                <option key={one.id} value={one.id}>
                  {one.name}
                  {hasDraft(one.id) && ', not saved yet'}
                </option>
              ))}
            </select>
          </label>
        </p>
      )}
      <Rules key={id} owner={{ kind: 'workspace', id }} canChange={canManage()} />
    </>
  )
}
