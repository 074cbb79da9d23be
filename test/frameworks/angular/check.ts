import { testBuildWithoutVariables, testListInChromium, testMissingVariable, testRefusals } from '../site.ts'

testBuildWithoutVariables()
testListInChromium() // three campaigns, two to a page
testRefusals()
testMissingVariable()
