import { Menu } from '@base-ui/react/menu'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import type { EventType, Webhook, WebhookWithSecret } from '../../../../client/contract.gen.ts'
import { plumbline } from '../../../api/plumbline.ts'
import { Button } from '../../../ui/button.tsx'
import { SelectField, TextField, typed } from '../../../ui/form.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { say } from '../../../ui/toast.tsx'
import { count } from '../../../ui/words.ts'
import { WebhookSecret } from './secret.tsx'
import { WebhookForm } from './webhook-form.tsx'

type Open = 'test' | 'edit' | 'switch' | 'rotate' | 'recover' | 'delete' | null

/** What can be done with a subscription. */
export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const [open, setOpen] = useState<Open>(null)
  const props = { webhook, onClose: () => setOpen(null) }
  const isActive = webhook.status === 'active'
  return (
    <>
      <Button className="keep" icon={isActive ? 'ban' : 'send'} onClick={() => setOpen('switch')}>
        {isActive ? 'Pause' : 'Resume'}
      </Button>
      <Menu.Root>
        <Menu.Trigger render={<Button className="keep" icon="dots" />}>More</Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner className="over" sideOffset={4} align="end">
            <Menu.Popup className="menu">
              <Menu.Item onClick={() => setOpen('edit')}>Edit…</Menu.Item>
              <Menu.Item onClick={() => setOpen('rotate')}>Rotate the secret…</Menu.Item>
              {isActive && <Menu.Item onClick={() => setOpen('recover')}>Send what was missed…</Menu.Item>}
              <Menu.Item className="danger" onClick={() => setOpen('delete')}>
                Delete…
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <Button className="keep" look="primary" icon="send" onClick={() => setOpen('test')}>
        Send test
      </Button>
      {open === 'test' && <Test {...props} />}
      {open === 'edit' && <WebhookForm {...props} />}
      {open === 'switch' && <Switch {...props} />}
      {open === 'rotate' && <Rotate {...props} />}
      {open === 'recover' && <Recover {...props} />}
      {open === 'delete' && <Delete {...props} />}
    </>
  )
}

interface Props {
  webhook: Webhook
  onClose(): void
}

function Test({ webhook, onClose }: Props) {
  const navigate = useNavigate()
  const types = plumbline.useQuery('get', '/api/ext/event-types').data?.data ?? []
  const change = plumbline.useMutation('post', '/api/ext/webhooks/{webhookId}/test', {
    onSuccess: ({ id }) => {
      onClose()
      void navigate(`/settings/webhooks/${webhook.id}/deliveries/${id}`)
    },
  })
  const own = types.filter(({ type }) => webhook.eventTypes.includes('*') || webhook.eventTypes.includes(type))
  return (
    <FormDialog
      title="Send a test"
      size="narrow"
      word="Send test"
      {...{ change, onClose }}
      onSubmit={(form) =>
        change.mutate({
          params: { path: { webhookId: webhook.id } },
          body: { eventType: String(form.get('eventType')) as EventType },
        })
      }
    >
      <p className="muted">
        The example of an event is sent once, marked as a test. It counts neither as a failure nor as a success.
      </p>
      <SelectField
        name="eventType"
        label="Event"
        options={(own.length === 0 ? types : own).map(({ type, summary }) => ({
          value: type,
          label: `${type}: ${summary}`,
        }))}
      />
    </FormDialog>
  )
}

function Switch({ webhook, onClose }: Props) {
  const isActive = webhook.status === 'active'
  const change = plumbline.useMutation('patch', '/api/ext/webhooks/{webhookId}', {
    onSuccess: () => {
      say(isActive ? 'Nothing is sent until you resume it' : 'It sends on')
      onClose()
    },
  })
  return (
    <FormDialog
      title={isActive ? 'Pause the webhook?' : 'Resume the webhook?'}
      size="narrow"
      word={isActive ? 'Pause' : 'Resume'}
      {...{ change, of: webhook, onClose }}
      onSubmit={(_form, ifMatch) =>
        change.mutate({
          params: { path: { webhookId: webhook.id }, header: ifMatch },
          body: { status: isActive ? 'disabled' : 'active' },
        })
      }
    >
      <p className="muted">
        {isActive
          ? 'Nothing is sent until you resume it. Events are held for 14 days and then go out in order.'
          : 'What was held goes out in order, and the count of failures begins at 0. It acts for you from now on.'}
      </p>
    </FormDialog>
  )
}

function Rotate({ webhook, onClose }: Props) {
  const [rotated, setRotated] = useState<WebhookWithSecret | null>(null)
  const change = plumbline.useMutation('post', '/api/ext/webhooks/{webhookId}/rotate-secret', {
    gcTime: 0,
    onSuccess: setRotated,
  })
  if (rotated !== null) return <WebhookSecret webhook={rotated} onClose={onClose} />
  return (
    <FormDialog
      title="Rotate the secret"
      size="narrow"
      word="Make a new secret"
      {...{ change, onClose }}
      onSubmit={(form) =>
        change.mutate({
          params: { path: { webhookId: webhook.id } },
          body: { overlapHours: Number(form.get('overlapHours')) },
        })
      }
    >
      <p className="muted">It is shown once. Meanwhile every event is signed with both, so that nothing is lost.</p>
      <SelectField
        name="overlapHours"
        label="The old secret signs"
        defaultValue="24"
        options={[
          { value: '24', label: 'For another day' },
          { value: '1', label: 'For another hour' },
          { value: '0', label: 'No longer: it has leaked' },
        ]}
      />
    </FormDialog>
  )
}

function Recover({ webhook, onClose }: Props) {
  const change = plumbline.useMutation('post', '/api/ext/webhooks/{webhookId}/recover', {
    onSuccess: ({ queued, more }) => {
      say(`${count(queued, 'delivery', 'deliveries')} on the way${more ? '; there are more, do it again' : ''}`)
      onClose()
    },
  })
  const instant = (form: FormData, name: string) => {
    const text = typed(form, name)
    return text === undefined ? undefined : new Date(text).toISOString()
  }
  return (
    <FormDialog
      title="Send what was missed"
      size="narrow"
      word="Send again"
      {...{ change, onClose }}
      onSubmit={(form) => {
        const until = instant(form, 'until')
        change.mutate({
          params: { path: { webhookId: webhook.id } },
          body: { since: instant(form, 'since') ?? '', ...(until !== undefined && { until }) },
        })
      }}
    >
      <p className="muted">Every event of the period that the receiver did not take goes out again, in order.</p>
      <TextField name="since" label="From" type="datetime-local" autoFocus hint="In the time of this device." />
      <TextField name="until" label="Until" type="datetime-local" optional hint="Empty means until now." />
    </FormDialog>
  )
}

function Delete({ webhook, onClose }: Props) {
  const navigate = useNavigate()
  const change = plumbline.useMutation('delete', '/api/ext/webhooks/{webhookId}', {
    onSuccess: () => {
      say('The webhook is deleted')
      void navigate('/settings/webhooks')
    },
  })
  return (
    <FormDialog
      title="Delete the webhook?"
      size="narrow"
      word="Delete webhook"
      isDanger
      {...{ change, of: webhook, onClose }}
      onSubmit={(_form, ifMatch) => change.mutate({ params: { path: { webhookId: webhook.id }, header: ifMatch } })}
    >
      <p className="muted">
        Nothing is sent there any more, and what was not delivered is cancelled. What was delivered stays readable. This
        cannot be undone; to stop for a while, pause it.
      </p>
    </FormDialog>
  )
}
