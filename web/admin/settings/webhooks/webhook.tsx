import { useParams } from 'react-router'
import type { Webhook } from '../../../../client/contract.gen.ts'
import { plumbline } from '../../../api/plumbline.ts'
import { useCan } from '../../../api/session.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Page } from '../../../ui/page.tsx'
import { LoadError, SkeletonLines } from '../../../ui/states.tsx'
import { formatCount } from '../../../ui/text-formats.ts'
import { TimeText } from '../../../ui/time.tsx'
import { type Fact, TitleBlock } from '../../../ui/title-block.tsx'
import { useFormats } from '../../../ui/use-formats.ts'
import { DELIVERIES_REFRESH_MS, Deliveries } from './deliveries.tsx'
import { WebhookActions } from './webhook-actions.tsx'
import { DISABLED_REASONS, getHost, MAX_FAILURES, WebhookHealth } from './webhook-health.tsx'
import { EventTypes, WebhookOwner } from './webhooks.tsx'

const CRUMBS = [{ name: 'Settings' }, { name: 'Webhooks', to: '/settings/webhooks' }] as const

/** Shows one subscription with its health and all deliveries. */
export function Component() {
  const { webhookId = '' } = useParams()
  const can = useCan()
  const webhook = plumbline.useQuery(
    'get',
    '/api/ext/webhooks/{webhookId}',
    { params: { path: { webhookId } } },
    { refetchInterval: DELIVERIES_REFRESH_MS },
  )
  const { data } = webhook
  const name = data === undefined ? 'Webhook' : getHost(data.url)
  return (
    <Page
      title={name}
      crumbs={[...CRUMBS, { name }]}
      actions={
        data !== undefined && data.archivedAt === null && can('webhooks:write') && <WebhookActions webhook={data} />
      }
    >
      {webhook.error !== null ? (
        <LoadError what="The webhook" error={webhook.error} onRetry={() => void webhook.refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <WebhookDetails webhook={data} />
      )}
    </Page>
  )
}

function WebhookDetails({ webhook }: { webhook: Webhook }) {
  const { disabledReason, disabledAt, pausedUntil, archivedAt } = webhook
  return (
    <>
      <TitleBlock
        name={getHost(webhook.url)}
        state={<WebhookHealth webhook={webhook} />}
        sub={<code>{webhook.url}</code>}
        facts={useFacts(webhook)}
      />
      {archivedAt !== null ? (
        <div className="banner" data-tone="calm">
          <Icon name="info" />
          <p>
            Webhook deleted <TimeText at={archivedAt} />. Its deliveries stay readable.
          </p>
        </div>
      ) : (
        disabledReason !== null && (
          <div className="banner" data-tone={disabledReason === 'requested' ? 'calm' : 'bad'}>
            <Icon name={disabledReason === 'requested' ? 'info' : 'warn'} />
            <div>
              <strong>
                Sending has stopped
                {disabledAt !== null && (
                  <>
                    {' '}
                    since <TimeText at={disabledAt} />
                  </>
                )}
                .
              </strong>{' '}
              <span className="muted">
                {DISABLED_REASONS[disabledReason].why} Events are kept for 14 days.{' '}
                {DISABLED_REASONS[disabledReason].next}
              </span>
            </div>
          </div>
        )
      )}
      {pausedUntil !== null && disabledReason === null && (
        <div className="banner" data-tone="warn">
          <Icon name="warn" />
          <div>
            <strong>Deliveries to the receiver are failing.</strong>{' '}
            <span className="muted">
              Events are retried one at a time; the next attempt is <TimeText at={pausedUntil} />. Other events wait in
              order. Nothing is lost.
            </span>
          </div>
        </div>
      )}
      <Deliveries webhookId={webhook.id} />
    </>
  )
}

function useFacts(webhook: Webhook): readonly Fact[] {
  const { time } = useFormats()
  const { consecutiveFailures, eventTypes, previousSecretExpiresAt } = webhook
  return [
    {
      label: 'Consecutive failures',
      isFigure: true,
      value: consecutiveFailures,
      note: `of ${MAX_FAILURES}, then the webhook is disabled`,
    },
    {
      label: 'Events',
      value: eventTypes.includes('*') ? 'all' : formatCount(eventTypes.length, 'type'),
      note: <EventTypes types={eventTypes} />,
    },
    {
      label: 'Acts for',
      value: <WebhookOwner of={webhook.owner} />,
      note: webhook.excludeOwnChanges ? 'skips changes by this user' : 'receives what this user can read',
    },
    {
      label: 'Secret',
      value: previousSecretExpiresAt === null ? 'one' : 'two',
      note: previousSecretExpiresAt === null ? 'in use' : `old secret valid until ${time(previousSecretExpiresAt)}`,
    },
    { label: 'ID', value: <code>{webhook.id}</code>, isWideOnly: true },
  ]
}
