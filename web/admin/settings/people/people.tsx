import { useState } from 'react'
import type { User } from '../../../../client/contract.gen.ts'
import { useCan, useSession } from '../../../api/session.ts'
import { Status } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import type { Filter } from '../../../ui/filter.tsx'
import { humanizeName } from '../../../ui/humanize-name.ts'
import { Listing } from '../../../ui/listing.tsx'
import { Page } from '../../../ui/page.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { STATUS_LOOKS } from '../../../ui/status-styles.ts'
import { type Column, EmptyCell } from '../../../ui/table.tsx'
import { TimeText } from '../../../ui/time.tsx'
import { useFormats } from '../../../ui/use-formats.ts'
import { PeopleTabs } from './people-tabs.tsx'
import { UserActions } from './user-actions.tsx'
import { ROLES, UserForm } from './user-form.tsx'

const FILTERS: readonly Filter[] = [
  { name: 'role', label: 'Role', options: ROLES.map((value) => ({ value, label: humanizeName(value) })) },
  {
    name: 'status',
    label: 'Status',
    options: Object.entries(STATUS_LOOKS.user).map(([value, { word }]) => ({ value, label: word })),
  },
]

/** Lists users: their roles, and whether they have signed in yet. */
export function Component() {
  const can = useCan()
  const { sendsMail } = useSession()
  const { money } = useFormats()
  const [isNew, setIsNew] = useState(false)
  const invite = can('users:write') && (
    <Button look="primary" icon="plus" onClick={() => setIsNew(true)}>
      {sendsMail ? 'Invite' : 'Add user'}
    </Button>
  )
  const columns: readonly Column<User>[] = [
    {
      head: 'Name',
      sort: 'name',
      cell: ({ name, email }) => (
        <>
          <span className="lead clip">{name}</span>
          <span className="sub clip">{email}</span>
        </>
      ),
      csv: ({ name }) => name,
    },
    { head: 'Email', isOnlyExported: true, cell: () => null, csv: ({ email }) => email },
    {
      head: 'Status',
      cell: ({ status }) => <Status of="user" is={status} />,
      csv: ({ status }) => STATUS_LOOKS.user[status].word,
    },
    { head: 'Role', cell: ({ role }) => humanizeName(role), csv: ({ role }) => role },
    {
      head: 'Approval limit',
      numeric: true,
      cell: ({ poApprovalLimit }) =>
        poApprovalLimit === null ? 'no limit' : poApprovalLimit === 0 ? <EmptyCell /> : money(poApprovalLimit),
      csv: ({ poApprovalLimit }) => poApprovalLimit,
    },
    { head: 'Phone', isWideOnly: true, cell: ({ phone }) => phone ?? <EmptyCell />, csv: ({ phone }) => phone },
    {
      head: 'Last sign-in',
      className: 'nowrap',
      cell: ({ lastLoginAt }) => (lastLoginAt === null ? <EmptyCell word="never" /> : <TimeText at={lastLoginAt} />),
      csv: ({ lastLoginAt }) => lastLoginAt,
    },
    ...(can('users:write')
      ? [{ head: 'Actions', className: 'num', cell: (user: User) => <UserActions user={user} /> }]
      : []),
  ]
  return (
    <Page title="Users" crumbs={[{ name: 'Settings' }, { name: 'Users and roles' }]} actions={invite}>
      <div className="page-head">
        <h1>Users and roles</h1>
        <p>Users who can sign in, with their roles and approval limits.</p>
      </div>
      <PeopleTabs />
      <Listing
        path="/api/ext/users"
        nouns={['user', 'users']}
        columns={columns}
        keyOf={({ id }) => id}
        sort="name"
        filters={FILTERS}
        empty={
          <EmptyState icon="users" title="No users yet" actions={invite}>
            Add your colleagues and give each of them a role.
          </EmptyState>
        }
      />
      {isNew && <UserForm onClose={() => setIsNew(false)} />}
    </Page>
  )
}
