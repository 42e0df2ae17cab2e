import { useLocation } from 'preact-iso/router'
import { queryOf } from '../../api/address.ts'
import { useAllRows } from '../../api/pages.ts'
import { canManage, useSession } from '../../api/session.ts'
import { workspaceInAddress } from '../../api/workspace-path.ts'
import { hasDraft } from '../../components/drafts.ts'
import { Rules } from './rules.tsx'

/** The rules for all interns of the workspace in the address. Defaults to the session's workspace. */
export function WorkspaceRules() {
  const { path, query, route } = useLocation()
  const own = useSession()!.workspace
  const isOneWorkspace = workspaceInAddress() !== undefined
  const all = useAllRows('GET /workspaces', isOneWorkspace ? undefined : {}).data ?? [own]
  const id = (!isOneWorkspace && query.workspace) || own.id
  const choose = (workspace: string) => route(path + queryOf({ part: 'rules', workspace }))
  return (
    <>
      {all.length > 1 && (
        <p>
          <label>
            Workspace{' '}
            <select value={id} onChange={(event) => choose(event.currentTarget.value)}>
              {all.map((one) => (
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
