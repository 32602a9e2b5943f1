import { useMemo, useState } from 'react'
import { useNavigate } from 'react-router'
import type { EventType, Webhook, WebhookWithSecret } from '../../../../client/contract.gen.ts'
import { toErrorMessage } from '../../../api/error-message.ts'
import { plumbline } from '../../../api/plumbline.ts'
import { FieldErrorAt, readTextField, TextField } from '../../../ui/form.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { SkeletonLines } from '../../../ui/states.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { WebhookSecret } from './webhook-secret.tsx'

type ChosenEvents = ReadonlySet<EventType | '*'>

/**
 * Lets the user create a subscription, and then shows its secret. For an existing subscription, lets the user edit the
 * URL and the events.
 */
export function WebhookForm({ webhook, onClose }: { webhook?: Webhook; onClose(): void }) {
  const navigate = useNavigate()
  const [created, setCreated] = useState<WebhookWithSecret | null>(null)
  const [initial] = useState<ChosenEvents>(() => new Set(webhook?.eventTypes ?? []))
  const [chosen, setChosen] = useState(initial)
  const entries = useMemo(
    () => ({
      current: [...chosen],
      isChanged: chosen.size !== initial.size || [...chosen].some((type) => !initial.has(type)),
      restore: (stored: readonly (EventType | '*')[]) => setChosen(new Set(stored)),
    }),
    [chosen, initial],
  )
  const create = plumbline.useMutation('post', '/api/ext/webhooks', { gcTime: 0, onSuccess: setCreated })
  const update = plumbline.useMutation('patch', '/api/ext/webhooks/{webhookId}', {
    onSuccess: () => {
      showToast('Webhook updated')
      onClose()
    },
  })
  if (created !== null)
    return (
      <WebhookSecret
        webhook={created}
        onClose={() => {
          onClose()
          void navigate(`/settings/webhooks/${created.id}`)
        }}
      />
    )
  const change = webhook === undefined ? create : update
  const isDuplicate = change.error !== null && toErrorMessage(change.error).problem?.status === 409
  const onSubmit = (form: FormData, ifMatch: { 'If-Match'?: string }) => {
    const body = {
      url: readTextField(form, 'url') ?? '',
      eventTypes: [...chosen],
      excludeOwnChanges: form.has('excludeOwnChanges'),
      ...(form.has('allowDuplicate') && { allowDuplicate: true }),
    }
    if (webhook === undefined) create.mutate({ body })
    else update.mutate({ params: { path: { webhookId: webhook.id }, header: ifMatch }, body })
  }
  return (
    <FormDialog
      title={webhook === undefined ? 'New webhook' : 'Edit webhook'}
      size="wide"
      word={webhook === undefined ? 'Create webhook' : 'Save'}
      aside="The webhook acts for you and receives only what you can read."
      {...{ change, of: webhook, entries, onSubmit, onClose }}
    >
      <TextField
        name="url"
        label="Receiver URL"
        defaultValue={webhook?.url}
        placeholder="https://hooks.example.com/plumbline"
        hint="The receiver must return a 2xx status within 10 seconds."
        autoFocus
      />
      <EventChoice {...{ chosen, setChosen }} />
      <label className="check">
        <input type="checkbox" name="excludeOwnChanges" defaultChecked={webhook?.excludeOwnChanges} />
        Skip events caused by the webhook owner (avoids sync loops)
      </label>
      {isDuplicate && (
        <label className="check">
          <input type="checkbox" name="allowDuplicate" />
          Allow another webhook with the same URL and events
        </label>
      )}
    </FormDialog>
  )
}

/** Lets the user choose all events, or events by the kind of their records. */
function EventChoice({ chosen, setChosen }: { chosen: ChosenEvents; setChosen(chosen: ChosenEvents): void }) {
  const types = plumbline.useQuery('get', '/api/ext/event-types').data?.data
  const isAll = chosen.has('*')
  const toggle = (type: EventType) => {
    const after = new Set(chosen)
    if (!after.delete(type)) after.add(type)
    setChosen(after)
  }
  return (
    <fieldset className="field">
      <legend>Events</legend>
      <label className="check">
        <input type="checkbox" checked={isAll} onChange={() => setChosen(isAll ? new Set() : new Set(['*']))} />
        All events that I can read, including future types
      </label>
      {types === undefined ? (
        <SkeletonLines />
      ) : (
        <div className="event-choice">
          {types.map(({ type, summary }) => (
            <label className="check" key={type}>
              <input
                type="checkbox"
                disabled={isAll}
                checked={isAll || chosen.has(type)}
                onChange={() => toggle(type)}
              />
              <span className="what">
                <code>{type}</code>
                <span className="hint">{summary}</span>
              </span>
            </label>
          ))}
        </div>
      )}
      <FieldErrorAt pointer="/eventTypes" />
    </fieldset>
  )
}
