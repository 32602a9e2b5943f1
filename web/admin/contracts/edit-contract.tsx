import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import type { Contract } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Page } from '../../ui/page.tsx'
import { EmptyState, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { showToast } from '../../ui/toast.tsx'
import { ContractForm } from './contract-form.tsx'
import { nameContract } from './contract-words.ts'

/** The page that changes a draft of a contract. The prices of an active contract change with its next revision. */
export function Component() {
  const { contractId = '' } = useParams()
  const contract = plumbline.useQuery('get', '/api/ext/contracts/{contractId}', { params: { path: { contractId } } })
  const { data } = contract
  const name = data === undefined ? 'Contract' : nameContract(data)
  return (
    <Page
      title={`Edit ${name}`}
      crumbs={[
        { name: 'Vendor contracts', to: '/catalogue/contracts' },
        { name, to: `/catalogue/contracts/${contractId}` },
        { name: 'Edit' },
      ]}
    >
      <div className="page-head">
        <h1>Edit {name}</h1>
      </div>
      {contract.error !== null ? (
        <LoadError what="The contract" error={contract.error} onRetry={() => void contract.refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={8} />
      ) : data.status !== 'draft' ? (
        <EmptyState icon="lock" title="Only a draft can be edited">
          To change the prices of {data.number}, draft its next revision.
        </EmptyState>
      ) : (
        <EditedContract key={data.id} contract={data} />
      )}
    </Page>
  )
}

function EditedContract({ contract }: { contract: Contract }) {
  const navigate = useNavigate()
  // The version that the user sees. The service rejects the draft if another user has changed it in the meantime.
  const [{ version }] = useState(contract)
  const change = plumbline.useMutation('patch', '/api/ext/contracts/{contractId}', {
    onSuccess: (saved) => {
      showToast(`${nameContract(saved)} changed`)
      void navigate(`/catalogue/contracts/${saved.id}`)
    },
  })
  return (
    <ContractForm
      contract={contract}
      vendorId={contract.vendorId}
      error={change.error}
      isPending={change.isPending}
      word="Save draft"
      onSubmit={(_, terms) =>
        change.mutate({
          params: { path: { contractId: contract.id }, header: { 'If-Match': `"${version}"` } },
          body: terms,
        })
      }
    />
  )
}
