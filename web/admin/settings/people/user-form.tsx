import { useState } from 'react'
import type { MessageRole, User } from '../../../../client/contract.gen.ts'
import { plumbline } from '../../../api/plumbline.ts'
import { humanize } from '../../../ui/badge.tsx'
import { readNumber, readText, SelectField, TextField } from '../../../ui/form.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { showToast } from '../../../ui/toast.tsx'

export const ROLES = [
  'owner',
  'admin',
  'estimator',
  'superintendent',
  'salesperson',
  'accountant',
  'viewer',
] as const satisfies readonly MessageRole[]

function toRole(role: string | undefined): MessageRole {
  return ROLES.find((one) => one === role) ?? 'viewer'
}

/** Creates a user, or edits one. */
export function UserForm({ user, onClose }: { user?: User; onClose(): void }) {
  const [role, setRole] = useState(toRole(user?.role))
  const roles = plumbline.useQuery('get', '/api/admin/roles').data?.data
  const invite = plumbline.useMutation('post', '/api/admin/users', {
    onSuccess: ({ name }) => {
      showToast(`${name} invited`)
      onClose()
    },
  })
  const update = plumbline.useMutation('patch', '/api/admin/users/{userId}', {
    onSuccess: ({ name }) => {
      showToast(`${name} updated`)
      onClose()
    },
  })
  const onSubmit = (form: FormData, ifMatch: { 'If-Match'?: string }) => {
    const body = {
      name: readText(form, 'name') ?? '',
      phone: readText(form, 'phone') ?? null,
      role,
      poApprovalLimit: form.has('isUnlimited') ? null : (readNumber(form, 'poApprovalLimit') ?? 0),
    }
    if (user === undefined) invite.mutate({ body: { ...body, email: readText(form, 'email') ?? '' } })
    else update.mutate({ params: { path: { userId: user.id }, header: ifMatch }, body })
  }
  return (
    <FormDialog
      title={user === undefined ? 'Invite user' : `Edit ${user.name}`}
      word={user === undefined ? 'Invite' : 'Save'}
      aside={user === undefined ? 'The link expires in 7 days.' : 'Changes apply immediately.'}
      change={user === undefined ? invite : update}
      {...{ of: user, onSubmit, onClose }}
    >
      <div className="form-row">
        <TextField name="name" label="Name" defaultValue={user?.name} autoFocus />
        <TextField name="phone" label="Phone" type="tel" optional defaultValue={user?.phone ?? ''} />
      </div>
      {user === undefined && (
        <TextField name="email" label="Email" type="email" hint="The sign-in link is sent to this address." />
      )}
      <SelectField
        name="role"
        label="Role"
        value={role}
        onChange={(value) => setRole(toRole(value))}
        options={ROLES.map((value) => ({ value, label: humanize(value) }))}
        hint={roles?.find((one) => one.role === role)?.description}
      />
      <TextField
        name="poApprovalLimit"
        label="Approval limit"
        defaultValue={user?.poApprovalLimit ?? ''}
        hint="If empty, the user cannot approve orders."
        optional
      />
      <label className="check">
        <input type="checkbox" name="isUnlimited" defaultChecked={user?.poApprovalLimit === null} />
        No limit
      </label>
    </FormDialog>
  )
}
