import { useState } from 'react'
import type { MessageRole, User } from '../../../../client/contract.gen.ts'
import { plumbline } from '../../../api/plumbline.ts'
import { useSession } from '../../../api/session.ts'
import { readNumberField, readTextField, SelectField, TextField } from '../../../ui/form.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { humanizeName } from '../../../ui/humanize-name.ts'
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

/** Lets the user create or edit a user. */
export function UserForm({ user, onClose }: { user?: User; onClose(): void }) {
  const { sendsMail } = useSession()
  const [role, setRole] = useState(toRole(user?.role))
  const roles = plumbline.useQuery('get', '/api/admin/roles').data?.data
  const invite = plumbline.useMutation('post', '/api/admin/users', {
    onSuccess: ({ name }) => {
      showToast(sendsMail ? `${name} invited` : `${name} added`)
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
      name: readTextField(form, 'name') ?? '',
      phone: readTextField(form, 'phone') ?? null,
      role,
      poApprovalLimit: form.has('isUnlimited') ? null : (readNumberField(form, 'poApprovalLimit') ?? 0),
    }
    if (user === undefined) invite.mutate({ body: { ...body, email: readTextField(form, 'email') ?? '' } })
    else update.mutate({ params: { path: { userId: user.id }, header: ifMatch }, body })
  }
  return (
    <FormDialog
      title={user === undefined ? (sendsMail ? 'Invite user' : 'Add user') : `Edit ${user.name}`}
      word={user === undefined ? (sendsMail ? 'Invite' : 'Add user') : 'Save'}
      aside={
        user !== undefined
          ? 'Changes apply immediately.'
          : sendsMail
            ? 'The sign-in link expires in 7 days.'
            : 'This server sends no email. Ask its operator for a sign-in link.'
      }
      change={user === undefined ? invite : update}
      {...{ of: user, onSubmit, onClose }}
    >
      <div className="form-row">
        <TextField name="name" label="Name" defaultValue={user?.name} autoFocus />
        <TextField name="phone" label="Phone" type="tel" optional defaultValue={user?.phone ?? ''} />
      </div>
      {user === undefined && (
        <TextField
          name="email"
          label="Email"
          type="email"
          hint={sendsMail ? 'The sign-in link is sent to this address.' : 'The user signs in with this address.'}
        />
      )}
      <SelectField
        name="role"
        label="Role"
        value={role}
        onChange={(value) => setRole(toRole(value))}
        options={ROLES.map((value) => ({ value, label: humanizeName(value) }))}
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
