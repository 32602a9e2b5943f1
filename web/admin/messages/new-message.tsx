import { useMemo, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import type { MessageAddress, MessageRole } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan, useSession } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Field, FieldErrorAt, Form, readTextField, TextAreaField, TextField } from '../../ui/form.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { showToast } from '../../ui/toast.tsx'
import { isMessageSubject } from '../actions/message-subjects.ts'
import { RecordChoice } from '../actions/record-choice.tsx'
import { AboutRecord } from './about-record.tsx'
import { ChannelField } from './thread.tsx'

const ROLES = [
  ...(['owner', 'admin', 'estimator', 'superintendent', 'salesperson', 'accountant', 'viewer'] as const),
] satisfies MessageRole[]

type Chosen = Readonly<Record<MessageAddress['type'], readonly string[]>>
const NOBODY: Chosen = { vendor: [], user: [], home_owner: [] }

/** Writes a message to vendors, users, and home owners, about the record in the URL. */
export function Component() {
  const navigate = useNavigate()
  const can = useCan()
  const { sendsMail } = useSession()
  const [params] = useSearchParams()
  const [type, id] = [params.get('about'), params.get('id')]
  const about = isMessageSubject(type) && id !== null ? { type, id } : null
  const known = useVendorsOf(about)
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const recipients: Chosen = chosen ?? { ...NOBODY, vendor: known }
  const choose = (of: MessageAddress['type'], ids: readonly string[]) => setChosen({ ...recipients, [of]: ids })
  const send = plumbline.useMutation('post', '/api/ext/messages', {
    onSuccess: (message) => {
      showToast('Message sent')
      void navigate(`/messages/${message.id}`)
    },
  })
  const entries = useMemo(
    () => ({ current: chosen, isChanged: chosen !== null, restore: (before: Chosen | null) => setChosen(before) }),
    [chosen],
  )
  const submit = (form: FormData) => {
    const subject = readTextField(form, 'subject')
    const roles = ROLES.filter((role) => form.getAll('recipientRoles').includes(role))
    send.mutate({
      body: {
        channel: readTextField(form, 'channel') === 'email' ? 'email' : 'in_app',
        ...(subject !== undefined && { subject }),
        body: readTextField(form, 'body') ?? '',
        recipients: (['vendor', 'user', 'home_owner'] as const).flatMap((kind) =>
          recipients[kind].map((recipient) => ({ type: kind, id: recipient })),
        ),
        ...(roles.length > 0 && { recipientRoles: roles }),
        ...(about !== null && { relatedTo: about }),
      },
    })
  }
  return (
    <Page title="New message" crumbs={[{ name: 'Messages', to: '/messages' }, { name: 'New message' }]}>
      <div className="page-head">
        <h1>New message</h1>
        {about === null ? (
          <p>Write to vendors, home owners, or colleagues.</p>
        ) : (
          <p>
            About <AboutRecord of={about} />
          </p>
        )}
      </div>
      <Form error={send.error} onSubmit={submit} entries={entries} draft={`message ${id ?? ''}`}>
        <div className="stack">
          <Panel title="Recipients">
            <div className="form">
              <FieldErrorAt pointer="/recipients" />
              {can('vendors:read') && (
                <RecipientField
                  name="vendors"
                  label="Vendors"
                  path="/api/ext/vendors"
                  value={recipients.vendor}
                  onChange={(ids) => choose('vendor', ids)}
                />
              )}
              {can('users:read') && (
                <RecipientField
                  name="users"
                  label="Users"
                  path="/api/ext/users"
                  value={recipients.user}
                  onChange={(ids) => choose('user', ids)}
                />
              )}
              {can('owners:read') && (
                <RecipientField
                  name="owners"
                  label="Home owners"
                  path="/api/ext/home-owners"
                  value={recipients.home_owner}
                  onChange={(ids) => choose('home_owner', ids)}
                />
              )}
              <fieldset className="field">
                <legend>
                  All users with a role <span className="faint">optional</span>
                </legend>
                <span className="row wrap">
                  {ROLES.map((role) => (
                    <label key={role} className="check">
                      <input type="checkbox" name="recipientRoles" value={role} />
                      {humanizeName(role)}
                    </label>
                  ))}
                </span>
              </fieldset>
            </div>
          </Panel>
          <Panel title="Message">
            <div className="form">
              <TextField name="subject" label="Subject" optional />
              <TextAreaField name="body" label="Text" rows={8} />
              {sendsMail && <ChannelField />}
              <div className="row">
                <Button look="primary" type="submit" icon="send" busy={send.isPending}>
                  Send message
                </Button>
              </div>
            </div>
          </Panel>
        </div>
      </Form>
    </Page>
  )
}

function RecipientField(props: {
  name: string
  label: string
  path: '/api/ext/vendors' | '/api/ext/users' | '/api/ext/home-owners'
  value: readonly string[]
  onChange(ids: readonly string[]): void
}) {
  const { name, label, path, value, onChange } = props
  return (
    <Field name={name} label={label} optional>
      {(control) => (
        <RecordChoice
          control={control}
          list={{ path, searches: path === '/api/ext/vendors' }}
          value={value}
          isMultiple
          onChange={onChange}
        />
      )}
    </Field>
  )
}

/** Returns the vendors of the record that the message is about, who are the usual recipients. */
function useVendorsOf(about: { type: string; id: string } | null): readonly string[] {
  const id = about?.id ?? ''
  const order = plumbline.useQuery(
    'get',
    '/api/ext/purchase-orders/{poId}',
    { params: { path: { poId: id } } },
    { enabled: about?.type === 'purchase_order' },
  )
  const task = plumbline.useQuery(
    'get',
    '/api/ext/tasks/{taskId}',
    { params: { path: { taskId: id } } },
    { enabled: about?.type === 'task' },
  )
  const request = plumbline.useQuery(
    'get',
    '/api/ext/bids/requests/{bidRequestId}',
    { params: { path: { bidRequestId: id } } },
    { enabled: about?.type === 'bid_request' },
  )
  if (about?.type === 'vendor') return [id]
  const vendorId = order.data?.vendorId ?? task.data?.vendorId
  return vendorId == null ? (request.data?.vendorIds ?? []) : [vendorId]
}
