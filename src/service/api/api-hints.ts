const checkOutcome = 'check the outcome at the service before you send the request again'

/** Next steps after a failed request. */
export const apiHints = {
  checkApiKey: 'check which key is used',
  checkBaseUrl: 'check the base URL',
  checkService: 'check that the service is running and the base URL is right',
  allowMoreTime: 'allow more time for a response',
  checkOutcome,
  checkOutcomeAfterTimeout: `${checkOutcome}; to wait longer, allow more time for a response`,
  lookUpId:
    'look it up at the service, which accepted the request; a second request would create another one',
} as const
