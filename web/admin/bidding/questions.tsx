import { useState } from 'react'
import type { BidRequest } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useRecords } from '../../api/use-records.ts'
import { Button } from '../../ui/button.tsx'
import { readTextField, TextAreaField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Panel } from '../../ui/panel.tsx'
import { EmptyState, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { TimeText } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'

/** Lists the messages about a request. Sends an answer to all invited vendors without revealing who asked. */
export function Questions({ request }: { request: BidRequest }) {
  const can = useCan()
  const [isOpen, setOpen] = useState(false)
  const messages = plumbline.useQuery('get', '/api/ext/messages', {
    params: { query: { relatedToId: request.id, limit: 100 } },
  })
  const vendors = useRecords('/api/ext/vendors', request.vendorIds)
  const invited = request.invitations.filter(({ status }) => status !== 'pending').map(({ vendorId }) => vendorId)
  const mayAnswer = can('messages:write') && invited.length > 0
  const answer = mayAnswer && (
    <Button small onClick={() => setOpen(true)}>
      Reply to all invited vendors…
    </Button>
  )
  return (
    <Panel title="Questions" hint="messages about this request" actions={answer}>
      {messages.error !== null ? (
        <LoadError what="The messages" error={messages.error} onRetry={() => void messages.refetch()} />
      ) : messages.data === undefined ? (
        <SkeletonLines lines={4} />
      ) : messages.data.data.length === 0 ? (
        <EmptyState icon="send" title="No questions yet">
          Vendors ask questions about this request in their portal.
        </EmptyState>
      ) : (
        <ul className="stack">
          {messages.data.data.map(({ id, sender, recipients, body, sentAt }) => (
            <li key={id}>
              <p className="muted">
                {sender.type === 'vendor'
                  ? (vendors.get(sender.id ?? '')?.companyName ?? 'A vendor')
                  : `You, to ${formatCount(recipients.length, 'recipient')}`}
                {sentAt !== null && (
                  <>
                    {' · '}
                    <TimeText at={sentAt} />
                  </>
                )}
              </p>
              <p className="pre-line">{body}</p>
            </li>
          ))}
        </ul>
      )}
      {isOpen && <AnswerDialog request={request} vendorIds={invited} onClose={() => setOpen(false)} />}
    </Panel>
  )
}

interface AnswerDialogProps {
  request: BidRequest
  vendorIds: readonly string[]
  onClose(): void
}

function AnswerDialog({ request, vendorIds, onClose }: AnswerDialogProps) {
  const send = plumbline.useMutation('post', '/api/ext/messages', {
    onSuccess: () => {
      showToast(`Reply sent to ${formatCount(vendorIds.length, 'vendor')}`)
      onClose()
    },
  })
  const onSubmit = (form: FormData) =>
    send.mutate({
      body: {
        channel: 'email',
        subject: `${request.number} ${request.title ?? ''}`.trim(),
        body: readTextField(form, 'body') ?? '',
        recipients: vendorIds.map((id) => ({ type: 'vendor' as const, id })),
        relatedTo: { type: 'bid_request', id: request.id },
      },
    })
  return (
    <FormDialog
      title="Reply to all invited vendors"
      note={`${request.number} · ${formatCount(vendorIds.length, 'vendor')}`}
      word="Send"
      change={send}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <TextAreaField
        name="body"
        label="Answer"
        rows={8}
        hint="Repeat the question without naming who asked. Vendors do not see each other."
      />
    </FormDialog>
  )
}
