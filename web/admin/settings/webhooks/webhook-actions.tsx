import { Menu } from '@base-ui/react/menu'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import type { EventType, Webhook, WebhookWithSecret } from '../../../../client/contract.gen.ts'
import { plumbline } from '../../../api/plumbline.ts'
import { Button } from '../../../ui/button.tsx'
import { readTextField, SelectField, TextField } from '../../../ui/form.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { formatCount } from '../../../ui/text-formats.ts'
import { showToast } from '../../../ui/toast.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { WebhookSecret } from './webhook-secret.tsx'

type OpenDialog = 'test' | 'edit' | 'switch' | 'rotate' | 'recover' | 'delete' | null

/** Shows the buttons for the actions on a webhook subscription. */
export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const [open, setOpen] = useState<OpenDialog>(null)
  const props = { webhook, onClose: () => setOpen(null) }
  const isActive = webhook.status === 'active'
  return (
    <>
      <Button icon={isActive ? 'ban' : 'send'} onClick={() => setOpen('switch')}>
        {isActive ? 'Pause' : 'Resume'}
      </Button>
      <Menu.Root>
        <Menu.Trigger render={<Button icon="dots" />}>More</Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner className="over" sideOffset={4} align="end">
            <Menu.Popup className="menu">
              <Menu.Item onClick={() => setOpen('edit')}>Edit…</Menu.Item>
              <Menu.Item onClick={() => setOpen('rotate')}>Rotate secret…</Menu.Item>
              {isActive && <Menu.Item onClick={() => setOpen('recover')}>Resend missed events…</Menu.Item>}
              <Menu.Item className="danger" onClick={() => setOpen('delete')}>
                Delete…
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <Button look="primary" icon="send" onClick={() => setOpen('test')}>
        Send test event
      </Button>
      {open === 'test' && <TestWebhookDialog {...props} />}
      {open === 'edit' && <WebhookForm {...props} />}
      {open === 'switch' && <SwitchWebhookDialog {...props} />}
      {open === 'rotate' && <RotateSecretDialog {...props} />}
      {open === 'recover' && <RecoverDialog {...props} />}
      {open === 'delete' && <DeleteWebhookDialog {...props} />}
    </>
  )
}

interface Props {
  webhook: Webhook
  onClose(): void
}

function TestWebhookDialog({ webhook, onClose }: Props) {
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
      title="Send a test event"
      size="narrow"
      word="Send test event"
      {...{ change, onClose }}
      onSubmit={(form) =>
        change.mutate({
          params: { path: { webhookId: webhook.id } },
          body: { eventType: String(form.get('eventType')) as EventType },
        })
      }
    >
      <p className="muted">Sends one example event, marked as a test. The result does not change the failure count.</p>
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

function SwitchWebhookDialog({ webhook, onClose }: Props) {
  const isActive = webhook.status === 'active'
  const change = plumbline.useMutation('patch', '/api/ext/webhooks/{webhookId}', {
    onSuccess: () => {
      showToast(isActive ? 'Webhook paused' : 'Webhook resumed')
      onClose()
    },
  })
  return (
    <FormDialog
      title={isActive ? 'Pause webhook?' : 'Resume webhook?'}
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
          ? 'Sending stops until you resume the webhook. Events are kept for 14 days and sent in order after you resume.'
          : 'Stored events are sent in order, and the failure count restarts at 0. From now on, the webhook acts for you.'}
      </p>
    </FormDialog>
  )
}

function RotateSecretDialog({ webhook, onClose }: Props) {
  const [rotated, setRotated] = useState<WebhookWithSecret | null>(null)
  const change = plumbline.useMutation('post', '/api/ext/webhooks/{webhookId}/rotate-secret', {
    gcTime: 0,
    onSuccess: setRotated,
  })
  if (rotated !== null) return <WebhookSecret webhook={rotated} onClose={onClose} />
  return (
    <FormDialog
      title="Rotate secret"
      size="narrow"
      word="Rotate secret"
      {...{ change, onClose }}
      onSubmit={(form) =>
        change.mutate({
          params: { path: { webhookId: webhook.id } },
          body: { overlapHours: Number(form.get('overlapHours')) },
        })
      }
    >
      <p className="muted">
        The new secret is shown once. While both secrets are valid, every event is signed with both.
      </p>
      <SelectField
        name="overlapHours"
        label="Old secret expires"
        defaultValue="24"
        options={[
          { value: '24', label: 'After 1 day' },
          { value: '1', label: 'After 1 hour' },
          { value: '0', label: 'Immediately (if the secret has leaked)' },
        ]}
      />
    </FormDialog>
  )
}

function RecoverDialog({ webhook, onClose }: Props) {
  const change = plumbline.useMutation('post', '/api/ext/webhooks/{webhookId}/recover', {
    onSuccess: ({ queued, more }) => {
      showToast(
        `${formatCount(queued, 'delivery', 'deliveries')} queued${more ? '. More events remain: resend again.' : ''}`,
      )
      onClose()
    },
  })
  const timestamp = (form: FormData, name: string) => {
    const text = readTextField(form, name)
    return text === undefined ? undefined : new Date(text).toISOString()
  }
  return (
    <FormDialog
      title="Resend missed events"
      size="narrow"
      word="Resend events"
      {...{ change, onClose }}
      onSubmit={(form) => {
        const until = timestamp(form, 'until')
        change.mutate({
          params: { path: { webhookId: webhook.id } },
          body: { since: timestamp(form, 'since') ?? '', ...(until !== undefined && { until }) },
        })
      }}
    >
      <p className="muted">Sends again, in order, every event of this period that the receiver did not accept.</p>
      <TextField name="since" label="From" type="datetime-local" autoFocus hint="In the time zone of this device." />
      <TextField name="until" label="Until" type="datetime-local" optional hint="If empty, the period ends now." />
    </FormDialog>
  )
}

function DeleteWebhookDialog({ webhook, onClose }: Props) {
  const navigate = useNavigate()
  const change = plumbline.useMutation('delete', '/api/ext/webhooks/{webhookId}', {
    onSuccess: () => {
      showToast('Webhook deleted')
      void navigate('/settings/webhooks')
    },
  })
  return (
    <FormDialog
      title="Delete webhook?"
      size="narrow"
      word="Delete webhook"
      isDanger
      {...{ change, of: webhook, onClose }}
      onSubmit={(_form, ifMatch) => change.mutate({ params: { path: { webhookId: webhook.id }, header: ifMatch } })}
    >
      <p className="muted">
        No more events are sent to this webhook, and its pending deliveries are canceled. Earlier deliveries stay
        visible. This cannot be undone. To stop sending for a while, pause the webhook instead.
      </p>
    </FormDialog>
  )
}
