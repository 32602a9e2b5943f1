import { Menu } from '@base-ui/react/menu'
import { useId, useState } from 'react'
import type { BidRequest } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Form, readTextField, TextAreaField, TextField } from '../../ui/form.tsx'
import { ChangeError } from '../../ui/states.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { discardDraft } from '../../ui/use-form-draft.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { InviteMore } from './invite-more.tsx'

type OpenDialog = 'deadline' | 'cancel' | 'close' | 'invite' | null

/** Shows the buttons for the actions that the status of a request and the user's permissions allow. */
export function RequestActions({ request }: { request: BidRequest }) {
  const [open, setOpen] = useState<OpenDialog>(null)
  const params = { path: { bidRequestId: request.id } }
  const send = plumbline.useMutation('post', '/api/ext/bids/requests/{bidRequestId}/send', {
    onSuccess: ({ invitations }) => showToast(`${request.number} sent to ${formatCount(invitations.length, 'vendor')}`),
  })
  const remind = plumbline.useMutation('post', '/api/ext/bids/requests/{bidRequestId}/remind', {
    onSuccess: () => showToast('Reminders sent'),
  })
  const close = () => setOpen(null)
  const { status } = request
  if (status === 'awarded' || status === 'cancelled') return null
  return (
    <>
      {status === 'draft' && (
        <Button look="primary" icon="send" busy={send.isPending} onClick={() => send.mutate({ params })}>
          Send request
        </Button>
      )}
      {status === 'sent' && (
        <Button icon="send" busy={remind.isPending} onClick={() => remind.mutate({ params })}>
          Send reminders
        </Button>
      )}
      {status !== 'draft' && (
        <Button icon="calendar" onClick={() => setOpen('deadline')}>
          {status === 'sent' ? 'Extend' : 'Reopen'}
        </Button>
      )}
      <Menu.Root>
        <Menu.Trigger render={<Button icon="dots" />}>More</Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner className="over" sideOffset={4} align="end">
            <Menu.Popup className="menu">
              {status === 'sent' && <Menu.Item onClick={() => setOpen('invite')}>Invite more vendors…</Menu.Item>}
              {status === 'sent' && (
                <Menu.Item className="narrow-only" onClick={() => remind.mutate({ params })}>
                  Send reminders
                </Menu.Item>
              )}
              {status !== 'draft' && (
                <Menu.Item className="narrow-only" onClick={() => setOpen('deadline')}>
                  {status === 'sent' ? 'Extend…' : 'Reopen…'}
                </Menu.Item>
              )}
              {status === 'sent' && <Menu.Item onClick={() => setOpen('close')}>Close bidding…</Menu.Item>}
              <Menu.Item className="danger" onClick={() => setOpen('cancel')}>
                Cancel request…
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {(send.error ?? remind.error) !== null && (
        <Dialog
          open
          size="narrow"
          title={`${request.number} was not changed`}
          onClose={() => {
            send.reset()
            remind.reset()
          }}
        >
          <ChangeError error={send.error ?? remind.error} />
        </Dialog>
      )}
      {open === 'deadline' && <DeadlineDialog request={request} onClose={close} />}
      {open === 'cancel' && <CancelDialog request={request} onClose={close} />}
      {open === 'close' && <CloseDialog request={request} onClose={close} />}
      {open === 'invite' && <InviteMore request={request} onClose={close} />}
    </>
  )
}

function DeadlineDialog({ request, onClose }: { request: BidRequest; onClose(): void }) {
  const form = useId()
  const { today, zone, day } = useFormats()
  const onSuccess = ({ deadline }: BidRequest) => {
    showToast(`Deadline changed to ${day(deadline)}`)
    onClose()
  }
  const extend = plumbline.useMutation('patch', '/api/ext/bids/requests/{bidRequestId}', { onSuccess })
  const reopen = plumbline.useMutation('post', '/api/ext/bids/requests/{bidRequestId}/reopen', { onSuccess })
  const isSent = request.status === 'sent'
  const onSubmit = (data: FormData) => {
    const body = { deadline: readTextField(data, 'deadline') ?? '' }
    const path = { bidRequestId: request.id }
    if (isSent) extend.mutate({ params: { path, header: { 'If-Match': `"${request.version}"` } }, body })
    else reopen.mutate({ params: { path }, body })
  }
  return (
    <Dialog
      open
      size="narrow"
      onClose={onClose}
      title={isSent ? 'Extend deadline' : 'Reopen request'}
      note={`Current deadline: ${day(request.deadline)}`}
      tail={
        <>
          <span className="push" />
          <Button
            onClick={() => {
              discardDraft(form)
              onClose()
            }}
          >
            Cancel
          </Button>
          <Button look="primary" type="submit" form={form} busy={extend.isPending || reopen.isPending}>
            {isSent ? 'Extend' : 'Reopen'}
          </Button>
        </>
      }
    >
      <Form id={form} draft="deadline" error={extend.error ?? reopen.error} onSubmit={onSubmit}>
        <TextField
          name="deadline"
          label="Deadline"
          type="date"
          min={today()}
          defaultValue={request.deadline}
          hint={`Bids are due by the end of that day, ${zone}.`}
          autoFocus
        />
      </Form>
    </Dialog>
  )
}

function CancelDialog({ request, onClose }: { request: BidRequest; onClose(): void }) {
  const form = useId()
  const cancel = plumbline.useMutation('post', '/api/ext/bids/requests/{bidRequestId}/cancel', {
    onSuccess: () => {
      showToast(`${request.number} canceled`)
      onClose()
    },
  })
  const onSubmit = (data: FormData) =>
    cancel.mutate({
      params: { path: { bidRequestId: request.id } },
      body: { reason: readTextField(data, 'reason') ?? null },
    })
  return (
    <Dialog
      open
      size="narrow"
      onClose={onClose}
      title={`Cancel ${request.number}?`}
      tail={
        <>
          <span className="push" />
          <Button onClick={onClose}>Keep request</Button>
          <Button look="danger solid" type="submit" form={form} busy={cancel.isPending}>
            Cancel request
          </Button>
        </>
      }
    >
      <p className="muted">
        {request.status === 'draft'
          ? 'No vendor has been notified. This cannot be undone.'
          : 'The vendors will be notified and see the reason. You will no longer be able to accept their bids. This cannot be undone.'}
      </p>
      <Form id={form} draft="cancel" error={cancel.error} onSubmit={onSubmit}>
        <TextAreaField name="reason" label="Reason (visible to the vendors)" optional />
      </Form>
    </Dialog>
  )
}

function CloseDialog({ request, onClose }: { request: BidRequest; onClose(): void }) {
  const close = plumbline.useMutation('post', '/api/ext/bids/requests/{bidRequestId}/close', {
    onSuccess: () => {
      showToast(`${request.number} closed`)
      onClose()
    },
  })
  return (
    <Dialog
      open
      size="narrow"
      onClose={onClose}
      title={`Close ${request.number} before its deadline?`}
      tail={
        <>
          <span className="push" />
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            busy={close.isPending}
            onClick={() => close.mutate({ params: { path: { bidRequestId: request.id } } })}
          >
            Close bidding
          </Button>
        </>
      }
    >
      <ChangeError error={close.error} />
      <p className="muted">
        Vendors who have not answered are marked “No response”.{request.blind && ' The amounts become visible.'} You can
        reopen bidding with a new deadline.
      </p>
    </Dialog>
  )
}
