import { call } from '../../api/client.ts'
import { useGet } from '../../api/resource.ts'
import type { WebhookDelivery } from '../../api/types.ts'
import { runOrToast } from '../../components/form/use-action.ts'
import { EmptyState } from '../../components/page/page-states.tsx'
import { toast } from '../../components/page/toast.tsx'
import { Listing, usePage } from '../../components/table/listing.tsx'
import { ClockTime, RelativeTime } from '../../components/text/timestamp.tsx'
import { exactCount } from '../../format/count.ts'
import { eventNames } from './webhook-fields.ts'

const statusClasses = { pending: 'warn', delivered: 'ok', failed: 'bad' }

/** The deliveries of a webhook, newest first. */
export function Deliveries({ webhookId }: { webhookId: string }) {
  const params = { webhookId }
  const webhook = useGet('GET /webhooks/{webhookId}', { params }).data?.data
  const resource = useGet('GET /webhooks/{webhookId}/deliveries', { params, query: usePage() })
  const retry = async ({ id: deliveryId }: WebhookDelivery) => {
    await call('POST /webhooks/{webhookId}/deliveries/{deliveryId}/retry', {
      params: { ...params, deliveryId },
    })
    resource.reload()
    toast('Queued again')
  }
  return (
    <>
      <p class="toolbar">
        <a href="/interns?part=webhooks">← Webhooks</a> <span class="mono">{webhook?.url}</span>
        <button type="button" onClick={resource.reload}>
          Refresh
        </button>
      </p>
      <Listing
        resource={resource}
        label="Deliveries"
        columns={['created', 'event', 'status', 'attempts', 'last response', '']}
        empty={<EmptyState title="No deliveries in the last seven days" />}
        renderRow={(delivery) => (
          <tr key={delivery.id}>
            <th scope="row">
              <ClockTime time={delivery.created_at} />
            </th>
            <td data-head="event">{delivery.event === 'webhook.test' ? 'test' : eventNames[delivery.event]}</td>
            <td data-head="status">
              <span class={`dot ${statusClasses[delivery.state]}`} />
              {delivery.state}
              {delivery.next_attempt_at && (
                <span class="dim">
                  {' '}
                  next <RelativeTime time={delivery.next_attempt_at} />
                </span>
              )}
            </td>
            <td data-head="attempts">{exactCount(delivery.attempts)}</td>
            <td data-head="last response">
              {delivery.last_status} {delivery.last_error}
            </td>
            <td class="number">
              {delivery.state !== 'pending' && (
                <button type="button" onClick={() => void runOrToast(() => retry(delivery))}>
                  Retry
                </button>
              )}
            </td>
          </tr>
        )}
      />
    </>
  )
}
