import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { call } from '../../api/client.ts'
import { useGet } from '../../api/resource.ts'
import type { Webhook } from '../../api/types.ts'
import { runOrToast } from '../../components/form/use-action.ts'
import { EmptyState } from '../../components/page/page-states.tsx'
import { toast } from '../../components/page/toast.tsx'
import { Listing, usePage } from '../../components/table/listing.tsx'
import { useSecrets } from '../../components/text/secret.tsx'
import { RelativeTime } from '../../components/text/timestamp.tsx'
import { Deliveries } from './deliveries.tsx'
import { WebhookDialog } from './webhook-dialog.tsx'
import { eventNames } from './webhook-fields.ts'

/** The webhooks of the workspace, or the deliveries of one. */
export function Webhooks() {
  const { id } = useLocation().query
  return <div class="parts">{id ? <Deliveries webhookId={id} /> : <WebhookList />}</div>
}

function WebhookList() {
  const resource = useGet('GET /webhooks', { query: usePage() })
  const [editedWebhook, setEditedWebhook] = useState<Webhook | 'new'>()
  const [secrets, addSecret] = useSecrets()
  return (
    <>
      {secrets}
      <p class="toolbar">
        <button type="button" onClick={() => setEditedWebhook('new')}>
          Create webhook
        </button>
      </p>
      <Listing
        resource={resource}
        label="Webhooks"
        columns={['URL', 'events', 'status', '']}
        empty={
          <EmptyState title="No webhooks yet">
            <p>A webhook is a URL that receives events of interns and limits.</p>
          </EmptyState>
        }
        renderRow={(webhook) => (
          <WebhookRow key={webhook.id} webhook={webhook} onEdit={() => setEditedWebhook(webhook)} />
        )}
      />
      {editedWebhook && (
        <WebhookDialog
          webhook={editedWebhook === 'new' ? undefined : editedWebhook}
          onChanged={resource.reload}
          onSecret={(secret) => addSecret('Signing secret', secret)}
          onClose={() => setEditedWebhook(undefined)}
        />
      )}
    </>
  )
}

function WebhookRow({ webhook, onEdit }: { webhook: Webhook; onEdit: () => void }) {
  const { id, url, description, events, include, enabled, disabled_reason, failing_since } = webhook
  const test = async () => {
    await call('POST /webhooks/{webhookId}/test', { params: { webhookId: id } })
    toast('Test event queued. See its delivery')
  }
  return (
    <tr class={enabled ? undefined : 'dim'}>
      <th scope="row">
        <span class="mono">{url}</span> <span class="dim">{description}</span>
      </th>
      <td data-head="events">
        {events.map((event) => eventNames[event]).join(', ')}
        {include.includes('question') && <span class="dim"> with question text</span>}
        {include.includes('answer_link') && <span class="dim"> with answer link</span>}
      </td>
      <td data-head="status">
        <span class={`dot ${!enabled ? 'bad' : failing_since ? 'warn' : 'ok'}`} />
        {!enabled ? 'disabled' : failing_since ? 'failing since ' : 'enabled'}
        {enabled ? failing_since && <RelativeTime time={failing_since} /> : disabled_reason && `: ${disabled_reason}`}
      </td>
      <td class="number">
        <a href={`/interns?part=webhooks&id=${id}`} aria-label={`Deliveries to ${url}`}>
          Deliveries
        </a>{' '}
        <button type="button" aria-label={`Test ${url}`} onClick={() => void runOrToast(test)}>
          Test
        </button>{' '}
        <button type="button" aria-label={`Change ${url}`} onClick={onEdit}>
          Change
        </button>
      </td>
    </tr>
  )
}
