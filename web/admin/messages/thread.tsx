import { useEffect, useRef } from 'react'
import { useParams } from 'react-router'
import type { Message } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { MAIN_QUERY } from '../../api/page-calls.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan, useSession } from '../../api/session.ts'
import { useLiveUpdates } from '../../api/use-live-updates.ts'
import { ActorName } from '../../ui/actor-name.tsx'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Form, readTextField, SelectField, TextAreaField } from '../../ui/form.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { LoadError, SkeletonLines } from '../../ui/states.tsx'
import { TimeText } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { FilesButton } from '../files/file-viewer.tsx'
import { AboutRecord } from './about-record.tsx'
import { RecipientName } from './messages.tsx'

/** A conversation rarely has more messages. The newest ones are shown. */
const MAX_MESSAGES = 200

/** Shows a message with all messages of its conversation, and replies to it. */
export function Component() {
  useLiveUpdates('at ease')
  const { messageId = '' } = useParams()
  const message = plumbline.useQuery('get', '/api/ext/messages/{messageId}', { params: { path: { messageId } } })
  const threadId = message.data === undefined ? '' : (message.data.threadId ?? message.data.id)
  const thread = useListPage(
    '/api/ext/messages',
    { threadId, limit: MAX_MESSAGES, sort: '-createdAt' },
    { enabled: threadId !== '', meta: MAIN_QUERY },
  )
  const messages = threadId === '' ? undefined : thread.data?.data.toReversed()
  const first = messages?.[0] ?? message.data
  const title = first?.subject ?? 'Message'
  return (
    <Page title={title} crumbs={[{ name: 'Messages', to: '/messages' }, { name: title }]}>
      {message.error !== null ? (
        <LoadError what="The message" error={message.error} onRetry={() => void message.refetch()} />
      ) : thread.error !== null ? (
        <LoadError what="The conversation" error={thread.error} onRetry={() => void thread.refetch()} />
      ) : messages === undefined || first === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <>
          <div className="page-head">
            <h1>{title}</h1>
            {first.relatedTo !== null && (
              <p>
                About <AboutRecord of={first.relatedTo} />
              </p>
            )}
          </div>
          {messages.map((one) => (
            <ThreadMessage key={one.id} message={one} />
          ))}
          <ReplyForm last={messages.at(-1) ?? first} />
        </>
      )}
    </Page>
  )
}

function ThreadMessage({ message }: { message: Message }) {
  const { id, sender, sentAt, createdAt, body, recipients, channel } = message
  useMarkAsRead(message)
  return (
    <article className="panel">
      <header>
        <h2>
          <ActorName of={sender} />
        </h2>
        <span className="hint">
          <TimeText at={sentAt ?? createdAt} />
          {channel === 'email' && ', by email'}
        </span>
        <span className="push row">
          <FilesButton recordId={id} name="the message" needs="messages:write" />
        </span>
      </header>
      <div className="body stack">
        <p className="pre-line">{body}</p>
        <ul className="plain-list small" aria-label="Recipients">
          {recipients.map((recipient) => (
            <li key={recipient.id} className="row wrap">
              <span className="muted">To</span> <RecipientName of={recipient} />
              <Status of="message" is={recipient.deliveryStatus} bare />
              {recipient.readAt !== null && (
                <span className="muted">
                  read <TimeText at={recipient.readAt} />
                </span>
              )}
            </li>
          ))}
        </ul>
      </div>
    </article>
  )
}

/** Marks a message as read for the signed-in user, once, as soon as its page shows it. */
function useMarkAsRead({ id, recipients }: Message): void {
  const can = useCan()
  const { user } = useSession()
  const marked = useRef(false)
  const { mutate } = plumbline.useMutation('post', '/api/ext/messages/{messageId}/read')
  const isUnread = recipients.some((recipient) => recipient.id === user.id && recipient.readAt === null)
  const mayMark = can('messages:write')
  useEffect(() => {
    if (!isUnread || !mayMark || marked.current) return
    marked.current = true
    mutate({ params: { path: { messageId: id } }, body: {} })
  }, [isUnread, mayMark, id, mutate])
}

function ReplyForm({ last }: { last: Message }) {
  const can = useCan()
  const { sendsMail } = useSession()
  const reply = plumbline.useMutation('post', '/api/ext/messages', { onSuccess: () => showToast('Reply sent') })
  if (!can('messages:write')) return null
  const submit = (form: FormData) =>
    reply.mutate({
      body: {
        inReplyToId: last.id,
        subject: last.subject,
        body: readTextField(form, 'body') ?? '',
        channel: readTextField(form, 'channel') === 'email' ? 'email' : 'in_app',
      },
    })
  return (
    <Panel title="Reply">
      {/* A sent reply leaves an empty form. */}
      <Form key={last.id} error={reply.error} onSubmit={submit} draft="reply">
        <TextAreaField name="body" label="Text" rows={5} hint="Sent to everyone in the last message." />
        {sendsMail && <ChannelField />}
        <div className="row">
          <Button look="primary" type="submit" icon="send" busy={reply.isPending}>
            Send reply
          </Button>
        </div>
      </Form>
    </Panel>
  )
}

/** The choice between a message inside Plumbline and an email. */
export function ChannelField() {
  return (
    <SelectField
      name="channel"
      label="Send as"
      options={[
        { value: 'email', label: 'Email, and in the portal' },
        { value: 'in_app', label: 'Only in Plumbline and the portal' },
      ]}
    />
  )
}
