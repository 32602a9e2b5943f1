import { useParams } from 'react-router'
import type { Webhook } from '../../../../client/contract.gen.ts'
import { useMay } from '../../../api/caller.ts'
import { plumbline } from '../../../api/plumbline.ts'
import { Icon } from '../../../ui/icon.tsx'
import { useFormats } from '../../../ui/organization.ts'
import { Page } from '../../../ui/page.tsx'
import { Failed, SkeletonLines } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import { type Fact, TitleBlock } from '../../../ui/title-block.tsx'
import { WebhookActions } from './actions.tsx'
import { AGAIN_MS, Deliveries } from './deliveries.tsx'
import { Health, hostOf, MOST_FAILURES, REASONS } from './health.tsx'
import { EventTypes, Owner } from './webhooks.tsx'

const CRUMBS = [{ name: 'Settings' }, { name: 'Webhooks', to: '/settings/webhooks' }] as const

/** Shows one subscription: its health, and every delivery. */
export function Component() {
  const { webhookId = '' } = useParams()
  const may = useMay()
  const webhook = plumbline.useQuery(
    'get',
    '/api/ext/webhooks/{webhookId}',
    { params: { path: { webhookId } } },
    { refetchInterval: AGAIN_MS },
  )
  const { data } = webhook
  const name = data === undefined ? 'Webhook' : hostOf(data.url)
  return (
    <Page
      title={name}
      crumbs={[...CRUMBS, { name }]}
      actions={
        data !== undefined && data.archivedAt === null && may('webhooks:write') && <WebhookActions webhook={data} />
      }
    >
      {webhook.error !== null ? (
        <Failed what="The webhook" error={webhook.error} onRetry={() => void webhook.refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <Shown webhook={data} />
      )}
    </Page>
  )
}

function Shown({ webhook }: { webhook: Webhook }) {
  const { disabledReason, disabledAt, pausedUntil, archivedAt } = webhook
  return (
    <>
      <TitleBlock
        name={hostOf(webhook.url)}
        state={<Health webhook={webhook} />}
        sub={<code>{webhook.url}</code>}
        facts={useFacts(webhook)}
      />
      {archivedAt !== null ? (
        <div className="banner" data-tone="calm">
          <Icon name="info" />
          <p>
            Webhook deleted <Time at={archivedAt} />. Its deliveries stay readable.
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
                    since <Time at={disabledAt} />
                  </>
                )}
                .
              </strong>{' '}
              <span className="muted">
                {REASONS[disabledReason].why} Events are kept for 14 days. {REASONS[disabledReason].next}
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
              Events are retried one at a time; the next attempt is <Time at={pausedUntil} />. Other events wait in
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
      note: `of ${MOST_FAILURES}, then the webhook is disabled`,
    },
    {
      label: 'Events',
      value: eventTypes.includes('*') ? 'all' : `${eventTypes.length} types`,
      note: <EventTypes types={eventTypes} />,
    },
    {
      label: 'Acts for',
      value: <Owner of={webhook.owner} />,
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
