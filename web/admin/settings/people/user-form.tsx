import { useState } from 'react'
import type { MessageRole, User } from '../../../../client/contract.gen.ts'
import { plumbline } from '../../../api/plumbline.ts'
import { inWords } from '../../../ui/badge.tsx'
import { SelectField, TextField, typed, typedNumber } from '../../../ui/form.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { say } from '../../../ui/toast.tsx'

export const ROLES = [
  'owner',
  'admin',
  'estimator',
  'superintendent',
  'salesperson',
  'accountant',
  'viewer',
] as const satisfies readonly MessageRole[]

function roleOf(role: string | undefined): MessageRole {
  return ROLES.find((one) => one === role) ?? 'viewer'
}

/** Somebody who is to work here, or what changes of somebody who does. */
export function UserForm({ user, onClose }: { user?: User; onClose(): void }) {
  const [role, setRole] = useState(roleOf(user?.role))
  const roles = plumbline.useQuery('get', '/api/admin/roles').data?.data
  const invite = plumbline.useMutation('post', '/api/admin/users', {
    onSuccess: ({ name }) => {
      say(`${name} is invited`)
      onClose()
    },
  })
  const update = plumbline.useMutation('patch', '/api/admin/users/{userId}', {
    onSuccess: ({ name }) => {
      say(`${name} is saved`)
      onClose()
    },
  })
  const onSubmit = (form: FormData, ifMatch: { 'If-Match'?: string }) => {
    const body = {
      name: typed(form, 'name') ?? '',
      phone: typed(form, 'phone') ?? null,
      role,
      poApprovalLimit: form.has('isUnlimited') ? null : (typedNumber(form, 'poApprovalLimit') ?? 0),
    }
    if (user === undefined) invite.mutate({ body: { ...body, email: typed(form, 'email') ?? '' } })
    else update.mutate({ params: { path: { userId: user.id }, header: ifMatch }, body })
  }
  return (
    <FormDialog
      title={user === undefined ? 'Invite somebody' : `Edit ${user.name}`}
      word={user === undefined ? 'Invite' : 'Save'}
      aside={user === undefined ? 'The link is good for 7 days.' : 'It holds from their next request on.'}
      change={user === undefined ? invite : update}
      {...{ of: user, onSubmit, onClose }}
    >
      <div className="form-row">
        <TextField name="name" label="Name" defaultValue={user?.name} autoFocus />
        <TextField name="phone" label="Phone" type="tel" optional defaultValue={user?.phone ?? ''} />
      </div>
      {user === undefined && (
        <TextField name="email" label="Mail address" type="email" hint="Where the link goes, and how they sign in." />
      )}
      <SelectField
        name="role"
        label="Role"
        value={role}
        onChange={(value) => setRole(roleOf(value))}
        options={ROLES.map((value) => ({ value, label: inWords(value) }))}
        hint={roles?.find((one) => one.role === role)?.description}
      />
      <TextField
        name="poApprovalLimit"
        label="May approve orders up to"
        defaultValue={user?.poApprovalLimit ?? ''}
        hint="Empty means none."
        optional
      />
      <label className="check">
        <input type="checkbox" name="isUnlimited" defaultChecked={user?.poApprovalLimit === null} />
        Orders of any amount
      </label>
    </FormDialog>
  )
}
