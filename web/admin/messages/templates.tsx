import { Link } from 'react-router'
import type { MessageTemplate, MessageTemplateKind } from '../../../client/contract.gen.ts'
import { ActorName } from '../../ui/actor-name.tsx'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { type Column, EmptyCell } from '../../ui/table.tsx'
import { MessagesTabs } from './messages-tabs.tsx'

export const TEMPLATE_WORDS: Readonly<Record<MessageTemplateKind, string>> = {
  message: 'Message',
  portal_invitation: 'Invitation to the portal',
  bid_invitation: 'Invitation to bid',
  bid_reminder: 'Bid reminder',
  bid_receipt: 'Bid receipt',
  lien_waiver: 'Lien waiver to sign',
  advance: 'Notice of work',
  reminder: 'Reminder of work',
  moved_earlier: 'Work moved earlier',
  postponed: 'Work postponed',
  lien_waiver_conditional_progress: 'Conditional waiver, progress payment',
  lien_waiver_unconditional_progress: 'Unconditional waiver, progress payment',
  lien_waiver_conditional_final: 'Conditional waiver, final payment',
  lien_waiver_unconditional_final: 'Unconditional waiver, final payment',
}

/** Lists the texts of emails and lien waivers. */
export function Component() {
  return (
    <Page title="Templates" crumbs={[{ name: 'Messages', to: '/messages' }, { name: 'Templates' }]}>
      <div className="page-head">
        <h1>Templates</h1>
        <p>Texts of the emails and lien waivers that Plumbline sends for you.</p>
      </div>
      <MessagesTabs />
      <Listing
        path="/api/ext/message-templates"
        nouns={['template', 'templates']}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        sort="kind"
        empty={<EmptyState icon="mail" title="No templates" />}
      />
    </Page>
  )
}

const COLUMNS: readonly Column<MessageTemplate>[] = [
  {
    head: 'Template',
    cell: ({ id, kind }) => (
      <Link className="lead" to={`/messages/templates/${id}`}>
        {TEMPLATE_WORDS[kind] ?? kind}
      </Link>
    ),
    csv: ({ kind }) => TEMPLATE_WORDS[kind] ?? kind,
  },
  {
    head: 'Subject',
    className: 'long',
    cell: ({ subject }) => subject ?? <EmptyCell word="no subject" />,
    csv: ({ subject }) => subject,
  },
  {
    head: 'Text',
    cell: ({ isDefault }) => (isDefault ? 'Plumbline’s text' : 'Your text'),
    csv: ({ isDefault }) => (isDefault ? 'default' : 'own'),
  },
  {
    head: 'Changed by',
    cell: ({ isDefault, createdBy }) => (isDefault ? <EmptyCell word="not changed" /> : <ActorName of={createdBy} />),
  },
]
