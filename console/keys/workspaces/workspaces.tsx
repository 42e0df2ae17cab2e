import { useState } from 'preact/hooks'
import { useGet } from '../../api/resource.ts'
import { currentSession } from '../../api/session.ts'
import type { Workspace } from '../../api/types.ts'
import { EmptyState } from '../../components/page/page-states.tsx'
import { Listing, usePage } from '../../components/table/listing.tsx'
import { RelativeTime } from '../../components/text/timestamp.tsx'
import { canManageOrganization } from '../permissions.ts'
import { DeleteContents } from './delete-contents.tsx'
import { WorkspaceDialog } from './workspace-dialog.tsx'
import { describeStorage } from './workspace-fields.ts'

type OpenDialog = { kind: 'new' } | { kind: 'change' | 'delete-contents'; workspace: Workspace }

/** The workspaces of the organization. */
export function Workspaces() {
  const resource = useGet('GET /workspaces', { query: usePage() })
  const [openDialog, setOpenDialog] = useState<OpenDialog>()
  const canChange = canManageOrganization(currentSession())
  const close = () => setOpenDialog(undefined)
  return (
    <>
      {canChange && !resource.failure && (
        <p class="toolbar">
          <button type="button" onClick={() => setOpenDialog({ kind: 'new' })}>
            Create workspace
          </button>
        </p>
      )}
      <Listing
        resource={resource}
        label="Workspaces"
        columns={['workspace', 'prompts and responses', 'created', 'links', ...(canChange ? [''] : [])]}
        empty={<EmptyState title="No workspaces" />}
        renderRow={(workspace) => (
          <WorkspaceRow key={workspace.id} workspace={workspace} canChange={canChange} onOpenDialog={setOpenDialog} />
        )}
      />
      {openDialog?.kind === 'new' && <WorkspaceDialog onChanged={resource.reload} onClose={close} />}
      {openDialog?.kind === 'change' && (
        <WorkspaceDialog workspace={openDialog.workspace} onChanged={resource.reload} onClose={close} />
      )}
      {openDialog?.kind === 'delete-contents' && <DeleteContents workspace={openDialog.workspace} onClose={close} />}
    </>
  )
}

type RowProps = { workspace: Workspace; canChange: boolean; onOpenDialog: (dialog: OpenDialog) => void }

function WorkspaceRow({ workspace, canChange, onOpenDialog }: RowProps) {
  const { name, slug, description, default_guardrail_id, created_at } = workspace
  return (
    <tr>
      <th scope="row" title={description ?? undefined}>
        {name} <span class="dim">{slug}</span>
      </th>
      <td data-head="prompts and responses">{describeStorage(workspace)}</td>
      <td data-head="created">
        <RelativeTime time={created_at} />
      </td>
      <td data-head="links">
        <span class="row-links">
          <a href={`/keys?workspace_id=${slug}`} aria-label={`Keys of ${name}`}>
            Keys
          </a>
          <a href={`/requests?workspace_id=${slug}`} aria-label={`Requests of ${name}`}>
            Requests
          </a>
          <a href={`/keys/members?workspace_id=${slug}`} aria-label={`Members of ${name}`}>
            Members
          </a>
          <a href={`/keys/budgets?workspace_id=${slug}`} aria-label={`Budgets of ${name}`}>
            Budgets
          </a>
          <a href={`/guardrails/${default_guardrail_id}`} aria-label={`Guardrail of ${name}`}>
            Guardrail
          </a>
        </span>
      </td>
      {canChange && (
        <td class="number">
          <button
            type="button"
            aria-label={`Change ${name}`}
            onClick={() => onOpenDialog({ kind: 'change', workspace })}
          >
            Change
          </button>{' '}
          <button
            type="button"
            aria-label={`Delete stored data of ${name}`}
            onClick={() => onOpenDialog({ kind: 'delete-contents', workspace })}
          >
            Delete stored data
          </button>
        </td>
      )}
    </tr>
  )
}
