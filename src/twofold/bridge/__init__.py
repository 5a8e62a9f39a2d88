"""Other programs: engines that speak our text protocol, web pages that are played."""
