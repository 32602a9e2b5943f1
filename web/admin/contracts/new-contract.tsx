import { useNavigate, useSearchParams } from 'react-router'
import { plumbline } from '../../api/plumbline.ts'
import { Page } from '../../ui/page.tsx'
import { showToast } from '../../ui/toast.tsx'
import { ContractForm } from './contract-form.tsx'

/** The page that drafts a price agreement with a vendor. */
export function Component() {
  const navigate = useNavigate()
  const [given] = useSearchParams()
  const create = plumbline.useMutation('post', '/api/ext/contracts', {
    onSuccess: ({ id, number }) => {
      showToast(`${number} created`)
      void navigate(`/catalogue/contracts/${id}`)
    },
  })
  return (
    <Page
      title="New contract"
      crumbs={[
        { name: 'Catalog', to: '/catalogue' },
        { name: 'Vendor contracts', to: '/catalogue/contracts' },
        { name: 'New contract' },
      ]}
    >
      <div className="page-head">
        <h1>New contract</h1>
        <p>Draft a price agreement with a vendor. Its prices apply after you activate it.</p>
      </div>
      <ContractForm
        contract={null}
        vendorId={given.get('vendorId') ?? ''}
        error={create.error}
        isPending={create.isPending}
        word="Create draft"
        onSubmit={(vendorId, terms) => create.mutate({ body: { vendorId, ...terms } })}
      />
    </Page>
  )
}
