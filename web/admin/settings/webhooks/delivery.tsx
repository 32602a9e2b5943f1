import { useParams } from 'react-router'
import type { DeliveryAttempt, DeliveryWithAttempts } from '../../../../client/contract.gen.ts'
import { plumbline } from '../../../api/plumbline.ts'
import { useCan } from '../../../api/session.ts'
import { Status } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Code } from '../../../ui/code.tsx'
import { Page } from '../../../ui/page.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { ChangeError, LoadError, SkeletonLines } from '../../../ui/states.tsx'
import { EmptyCell } from '../../../ui/table.tsx'
import { TimeText } from '../../../ui/time.tsx'
import { TitleBlock } from '../../../ui/title-block.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { getHost } from './webhook-health.tsx'

/** The polling interval while an attempt may be in progress. */
const REFRESH_MS = 2000

/** Shows one delivery with all its attempts, each with the request and the response. */
export function Component() {
  const { webhookId = '', deliveryId = '' } = useParams()
  const can = useCan()
  const delivery = plumbline.useQuery(
    'get',
    '/api/ext/deliveries/{deliveryId}',
    { params: { path: { deliveryId } } },
    { refetchInterval: REFRESH_MS },
  )
  const again = plumbline.useMutation('post', '/api/ext/deliveries/{deliveryId}/redeliver', {
    onSuccess: () => showToast('Delivery sent again'),
  })
  const { data } = delivery
  const name = data?.eventType ?? 'Delivery'
  return (
    <Page
      title={`Delivery of ${name}`}
      crumbs={[
        { name: 'Settings' },
        { name: 'Webhooks', to: '/settings/webhooks' },
        { name: 'Deliveries', to: `/settings/webhooks/${webhookId}` },
        { name },
      ]}
      actions={
        data !== undefined &&
        can('webhooks:write') && (
          <Button
            icon="refresh"
            busy={again.isPending}
            onClick={() => again.mutate({ params: { path: { deliveryId } } })}
          >
            Send again
          </Button>
        )
      }
    >
      <ChangeError error={again.error} />
      {delivery.error !== null ? (
        <LoadError what="The delivery" error={delivery.error} onRetry={() => void delivery.refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <DeliveryDetails delivery={data} />
      )}
    </Page>
  )
}

function DeliveryDetails({ delivery }: { delivery: DeliveryWithAttempts }) {
  const { attempts, nextAttemptAt } = delivery
  const last = attempts.at(-1)
  return (
    <>
      <TitleBlock
        name={delivery.eventType}
        state={<Status of="delivery" is={delivery.status} />}
        sub={<code>{delivery.eventId}</code>}
        facts={[
          { label: 'Attempts', isFigure: true, value: delivery.attemptCount, note: 'same ID for each attempt' },
          {
            label: 'Last response',
            isFigure: true,
            value: delivery.responseStatus ?? 'none',
            note: delivery.error ?? undefined,
          },
          {
            label: 'Next attempt',
            value: nextAttemptAt === null ? <EmptyCell /> : <TimeText at={nextAttemptAt} />,
          },
          { label: 'Created', value: <TimeText at={delivery.createdAt} />, isWideOnly: true },
        ]}
      />
      <Panel title="Attempts" hint="oldest first" isFlush>
        {attempts.length === 0 ? (
          <p className="muted">No attempts yet.</p>
        ) : (
          <ol className="attempts">
            {attempts.map((attempt, at) => (
              <Attempt key={attempt.id} attempt={attempt} number={at + 1} />
            ))}
          </ol>
        )}
      </Panel>
      <div className="cols even">
        <SentEvent delivery={delivery} />
        <Panel title="Response" hint={last === undefined ? undefined : `of ${getHost(last.url)}, first kilobyte`}>
          {last?.responseBody == null || last.responseBody === '' ? (
            <p className="muted">
              {last === undefined
                ? 'No response yet.'
                : 'There was no response, or it was not stored because the receiver is on a private network.'}
            </p>
          ) : (
            <Code label="The response" copied="The response" text={last.responseBody} />
          )}
        </Panel>
      </div>
    </>
  )
}

const OUTCOME_LABELS: Record<DeliveryAttempt['outcome'], string> = {
  succeeded: 'accepted',
  rejected: 'not accepted',
  timed_out: 'timed out',
  unreachable: 'no connection',
  refused: 'address not allowed',
}

function Attempt({ attempt, number }: { attempt: DeliveryAttempt; number: number }) {
  const { attemptedAt, durationMs, outcome, responseStatus, error } = attempt
  return (
    <li>
      <b>{number}</b>
      <TimeText at={attemptedAt} />
      <br />
      <span className={outcome === 'succeeded' ? undefined : 'tone-bad'}>
        {responseStatus === null ? OUTCOME_LABELS[outcome] : `${responseStatus}, ${OUTCOME_LABELS[outcome]}`}
      </span>{' '}
      after {durationMs.toLocaleString('en-US')} ms
      {error !== null && <span className="sub">{error}</span>}
    </li>
  )
}

/** Shows the event in the form in which the service sends it. The event of a test delivery is not stored. */
function SentEvent({ delivery: { eventId, eventType, test } }: { delivery: DeliveryWithAttempts }) {
  const can = useCan()
  const event = plumbline.useQuery(
    'get',
    '/api/ext/events/{eventId}',
    { params: { path: { eventId } } },
    { enabled: !test && can('events:read') },
  )
  return (
    <Panel title="Sent event" hint="without the signature headers">
      {test ? (
        <p className="muted">The example of {eventType} from the API reference, with the header webhook-test: true.</p>
      ) : event.error !== null ? (
        <LoadError what="The event" error={event.error} onRetry={() => void event.refetch()} />
      ) : event.data === undefined ? (
        <SkeletonLines />
      ) : (
        <Code label="Request" copied="The event" text={JSON.stringify(event.data, null, 2)} />
      )}
    </Panel>
  )
}
